# Reads the CmdStan files of write_samples with rstan, and compares draws with what was passed in and posterior's
# summary of them with ours. Usage: Rscript read_back.R WRITE_SAMPLES     (needs rstan and posterior)
suppressMessages({
  library(rstan)
  library(posterior)
})
options(warn = 2)  # a reader's warning is a failure

folder <- tempfile("read_back")
stopifnot(system2(commandArgs(trailingOnly = TRUE)[1], folder) == 0)

chains <- 4
draws <- 250
names <- c("beta", "theta[1]", "theta[2]", "a_b", "x_y", "mu", "b", "chain", "lp", "if_", "a_b_2")
read_doubles <- function(file, n) readBin(file.path(folder, file), "double", n)
theta <- array(read_doubles("expected.bin", chains * draws * length(names)), c(length(names), draws, chains))
lp <- matrix(read_doubles("expected_lp.bin", chains * draws), draws, chains)

fit <- read_stan_csv(file.path(folder, "cmdstan", sprintf("chain_%d.csv", seq_len(chains))))
read <- as.array(fit)  # draw, chain, parameter
stopifnot(
  fit@sim$chains == chains, fit@sim$warmup == 30, fit@sim$iter == draws + 30,
  identical(fit@par_dims$theta, 2L), length(fit@par_dims$beta) == 0,
  all(names %in% dimnames(read)$parameters),
  identical(unname(read[, , "lp__"]), lp)
)
for (p in seq_along(names)) stopifnot(identical(unname(read[, , names[p]]), theta[p, , ]))

sampler <- get_sampler_params(fit, inc_warmup = FALSE)
accepted <- sapply(sampler, function(chain) chain[, "accept_stat__"])
stopifnot(identical(accepted[-1, ] == 1, diff(theta[1, , ]) != 0))
stopifnot(get_elapsed_time(fit)[1, ] == c(2.25, 10.25), get_num_divergent(fit) == 0)

ours <- read.csv(file.path(folder, "expected_summary.csv"))
theirs <- as.data.frame(summarise_draws(as_draws_array(read[, , names]),
                                        "mean", "sd", "rhat", "ess_bulk", "ess_tail"))
for (column in colnames(ours)) {
  difference <- max(abs(ours[[column]] / theirs[[column]] - 1))
  cat(sprintf("%-9s largest relative difference %.1e\n", column, difference))
  stopifnot(difference < 1e-9)
}
cat("read back: equal\n")
