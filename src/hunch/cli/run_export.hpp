// RunExport: a run's result and its evaluations, in the shape that the writers of other tools' formats take.
#pragma once

#include "hunch/draws/export.hpp"
#include "hunch/evaluation/store.hpp"
#include "hunch/run/job.hpp"

namespace hunch::cli {

Export to_export(const Job& job, const RunResult& result, const Store& store, double seconds);

}  // namespace hunch::cli
