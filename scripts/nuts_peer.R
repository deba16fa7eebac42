# Stan's NUTS on the built-in problems, for scripts/study-efficiency; needs the package r-cran-rstan.
#   Rscript nuts_peer.R LIBRARY MODEL                                compiles one program for all problems into MODEL
#   Rscript nuts_peer.R LIBRARY MODEL PROBLEM DIMENSION SEED FILE    draws, one chain from each of the starts in FILE
# FILE has doubles: chain after chain, parameter after parameter. The result replaces them: the number of evaluations,
# the seconds that sampling took, then chain after chain, draw after draw, parameter after parameter.
suppressMessages(library(rstan))

program <- "
functions {
  real hunch_log_posterior(vector x);
  real hunch_evaluations();
}
data { int d; }
parameters { vector[d] x; }
model { target += hunch_log_posterior(x); }
generated quantities { real evaluations = hunch_evaluations(); }
"

compile <- function(path) {
  this <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
  header <- file.path(dirname(normalizePath(this)), "nuts_peer.hpp")
  # Debian's r-cran-bh has no headers of its own; those of libboost-dev serve.
  model <- stan_model(model_code = program, model_name = "hunch", allow_undefined = TRUE,
                      includes = sprintf("\n#include \"%s\"\n", header), boost_lib = "/usr/include")
  saveRDS(model, path)
}

draw <- function(model, problem, d, seed, path) {
  Sys.setenv(HUNCH_PROBLEM = problem)
  starts <- matrix(readBin(path, "double", file.size(path) / 8), nrow = d)
  init <- lapply(seq_len(ncol(starts)), function(chain) list(x = as.array(starts[, chain])))
  # One core: the chains share one count of evaluations. Stan's warnings are left out: the study judges the draws.
  suppressMessages(suppressWarnings(
    fit <- sampling(model, list(d = d), chains = ncol(starts), warmup = 1000, iter = 2000, init = init, seed = seed,
                    cores = 1, refresh = 0)))
  evaluations <- max(extract(fit, "evaluations")$evaluations)
  positions <- aperm(extract(fit, "x", permuted = FALSE), c(3, 1, 2))
  stopifnot(dim(positions)[3] == ncol(starts)) # rstan leaves out a chain that fails
  writeBin(c(evaluations, sum(get_elapsed_time(fit)), positions), path)
}

arguments <- commandArgs(trailingOnly = TRUE)
dyn.load(arguments[1], local = FALSE) # the compiled program takes its functions from here
if (length(arguments) == 2) {
  compile(arguments[2])
} else {
  draw(readRDS(arguments[2]), arguments[3], as.integer(arguments[4]), as.integer(arguments[5]), arguments[6])
}
