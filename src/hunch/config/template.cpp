#include "hunch/config/template.hpp"

namespace hunch {

std::string config_template() {
  return R"toml(# What Hunch samples, and how. A key behind "#" shows its default or an alternative.
# Edit this file, then `hunch check` it, then `hunch run` it.

[model]
# Your simulator: a program and its arguments. It stays up: for each evaluation it reads one line, such as
# {"beta": 4, "gamma": 1}, and answers with one line, the log-likelihood. Paths are seen from this file.
command = ["python3", "simulator.py"]
# style = "worker"          # "once": started anew for each evaluation, in a work directory of its own
# template = "input.txt"    # for "once": a file with {{beta}} where the value of beta goes ...
# input_file = "input.txt"  # ... and its name in the work directory
# result_file = "out.txt"   # for "once": the file that holds the answer, if it is not printed
# Instead of command, one of these:
# url = "http://localhost:4242"  # a UM-Bridge server, or an array of several that serve the same model
# name = "posterior"             # for url: which of its models
# gives = "log_likelihood"       # for url: or "log_posterior" (then priors are flat), or "forward"
# output_index = 0               # for url: which number of the output is the log density
# data = [1.0, 2.0]              # for "forward": what was observed ...
# noise_sd = 0.1                 # ... and the sd of its Gaussian noise, one number or one for each
# config = { level = 1 }         # for url: passed on to the server
# library = "./model.so"         # a shared library with Hunch's C interface
# problem = "sir"                # a problem that comes with Hunch
data_files = ["simulator.py"]  # if one of these files changes, old evaluations no longer count
gradient = false               # true: the answer is an object with log_likelihood and gradient
timeout = "10m"                # of one evaluation: "90s", "1h30m", or a number of seconds
attempts = 3                   # at a point where the program crashes or hangs, before it has failed
on_failure = "stop"            # "reject": a failed point counts as impossible, and the run goes on

[parameters]
# One line each, in the order in which the simulator gets them. Priors: normal(mean, sd),
# lognormal(mu, sigma), uniform(low, high), halfnormal(scale), halfcauchy(scale), cauchy(location, scale),
# student_t(dof, location, scale), exponential(rate), gamma(shape, rate), inverse_gamma(shape, scale),
# beta(a, b), flat; each may be cut off: "normal(0, 1, lower=0)". start: a good guess, if you have one.
beta = { prior = "lognormal(1, 0.5)", start = 4.0 }
gamma = { prior = "uniform(0, 5)" }

[sampler]
method = "auto"          # explores, then makes long free moves; or transition, gp-mh, mh; with gradients mala, gp-mala
exactness = "exact"      # "audited": draws of the surrogate, with a certificate: 50 to 200 evaluations in all
tolerance = 0.05         # of audited draws: every mean in sds, and every log sd
learning = "continue"    # "freeze": the surrogate stops learning after warmup
screen = "early"         # of gp-mh and gp-mala, how the surrogate screens proposals: early, paper or ratio
covariance = "se"        # of their surrogate: se (smooth) or matern52 (rougher)
chains = 4               # independent chains that share what they learn
warmup = 500             # iterations of each chain to tune and forget; auto and transition end it by themselves
draws = 1000             # iterations of each chain to keep
seed = 1                 # the same seed gives the same draws

[budget]
# The run stops at whichever comes first; without any of these, when all draws are made.
evaluations = 5000       # of your simulator
# time = "12h"
# goal = { ess = 400, rhat = 1.01 }  # good enough: effective draws, and agreement of the chains
)toml";
}

}  // namespace hunch
