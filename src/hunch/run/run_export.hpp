// RunExport: a run's result and its evaluations, in the shape that the writers of other tools' formats take.
#pragma once

#include "hunch/draws/export.hpp"
#include "hunch/evaluation/store.hpp"
#include "hunch/run/job.hpp"

namespace hunch {

// Without the table of evaluations.
Export to_export(const Job& job, const RunResult& result, double seconds);
Export to_export(const Job& job, const RunResult& result, const Store& store, double seconds);

}  // namespace hunch
