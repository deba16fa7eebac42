// Hunch: the public header: sample a log-likelihood function, judge the draws, write them for other tools.
#pragma once

#include "hunch/diagnostics/convergence.hpp"
#include "hunch/diagnostics/summary.hpp"
#include "hunch/draws/cmdstan_writer.hpp"
#include "hunch/draws/csv_writer.hpp"
#include "hunch/draws/getdist_writer.hpp"
#include "hunch/draws/netcdf_writer.hpp"
#include "hunch/run/sample.hpp"
