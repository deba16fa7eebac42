#include "sampled.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <string>
#include <string_view>

#include "hunch/diagnostics/convergence.hpp"
#include "hunch/draws/cmdstan_writer.hpp"
#include "hunch/draws/csv_writer.hpp"
#include "hunch/draws/getdist_writer.hpp"
#include "hunch/draws/netcdf_writer.hpp"
#include "hunch/run/digest.hpp"

namespace py = pybind11;

namespace hunch::python {

namespace {

Index length_of(const Draws& draws) {
  return draws.chains() > 0 ? draws.length(0) : 0;
}

// (chain, draw, parameter)
py::array_t<double> array_of(const Draws& draws) {
  const Index length = length_of(draws);
  py::array_t<double> array({draws.chains(), length, draws.parameters()});
  auto at = array.mutable_unchecked<3>();
  for (Index c = 0; c < draws.chains(); ++c) {
    const auto rows = draws.chain(c);
    for (Index i = 0; i < length; ++i)
      for (Index p = 0; p < draws.parameters(); ++p) at(c, i, p) = rows(i, p);
  }
  return array;
}

py::array_t<double> draws_of(const Sampled& sampled) {
  return array_of(sampled.result.draws);
}

py::object warmup_of(const Sampled& sampled) {
  const auto& warmup = sampled.result.exported.warmup;
  return warmup ? py::object(array_of(*warmup)) : py::none();
}

// (chain, draw), of a column that every chain has; empty if it is not recorded.
template <class Value, class Column>
py::object column_of(const Sampled& sampled, Column ChainRecord::*column) {
  const std::vector<ChainRecord>& chains = sampled.result.exported.chains;
  const Index length = length_of(sampled.result.draws);
  const auto recorded = [&](const ChainRecord& chain) {
    return static_cast<Index>((chain.*column).size()) == length;
  };
  py::array_t<Value> array({static_cast<Index>(chains.size()), length});
  auto at = array.template mutable_unchecked<2>();
  for (std::size_t c = 0; c < chains.size(); ++c) {
    if (!recorded(chains[c])) return py::none();
    for (Index i = 0; i < length; ++i)
      at(static_cast<Index>(c), i) = static_cast<Value>((chains[c].*column)[static_cast<std::size_t>(i)]);
  }
  return array;
}

py::dict sample_stats_of(const Sampled& sampled) {
  py::dict stats;
  const auto add = [&](const char* name, const py::object& column) {
    if (!column.is_none()) stats[name] = column;
  };
  add("lp", column_of<double>(sampled, &ChainRecord::log_posterior));
  add("accepted", column_of<bool>(sampled, &ChainRecord::accepted));
  add("evaluated", column_of<bool>(sampled, &ChainRecord::evaluated));
  add("stage1_accept_prob", column_of<double>(sampled, &ChainRecord::stage1_probability));
  return stats;
}

py::list summary_of(const Sampled& sampled) {
  py::list rows;
  for (const ParameterSummary& p : sampled.result.summary) {
    py::dict row;
    row["mean"] = p.mean;
    row["median"] = p.median;
    row["sd"] = p.sd;
    row["mad"] = p.mad;
    row["q5"] = p.q5;
    row["q95"] = p.q95;
    row["rhat"] = p.rhat;
    row["ess_bulk"] = p.ess_bulk;
    row["ess_tail"] = p.ess_tail;
    row["mcse_mean"] = p.mcse_mean;
    row["mcse_sd"] = p.mcse_sd;
    rows.append(py::make_tuple(p.name, row));
  }
  return rows;
}

py::object evaluations_of(const Sampled& sampled) {
  const auto& table = sampled.result.exported.evaluations;
  if (!table) return py::none();
  py::array_t<double> theta({table->theta.rows(), table->theta.cols()});
  auto at = theta.mutable_unchecked<2>();
  for (Index i = 0; i < table->theta.rows(); ++i)
    for (Index j = 0; j < table->theta.cols(); ++j) at(i, j) = table->theta(i, j);
  py::dict out;
  out["theta"] = theta;
  out["log_likelihood"] = py::array_t<double>(table->log_likelihood.size(), table->log_likelihood.data());
  out["outcome"] = py::module_::import("numpy").attr("array")(table->outcome, py::arg("dtype") = "U");
  return out;
}

py::object certificate_of(const Sampled& sampled) {
  const auto& certificate = sampled.result.certificate;
  if (!certificate) return py::none();
  py::dict out;
  out["passed"] = certificate->verdict == Certificate::Verdict::passed;
  out["audits"] = certificate->audits;
  out["error_found"] = certificate->error_found;
  out["error_claimed"] = certificate->error_claimed;
  out["mean_bounds"] = certificate->mean_bounds;
  out["sd_bounds"] = certificate->sd_bounds;
  out["reason"] = certificate->reason;
  return out;
}

py::dict counts_of(const Sampled& sampled) {
  const StageCounts& counts = sampled.result.counts;
  py::dict out;
  out["iterations"] = counts.iterations;
  out["screened_out"] = counts.screened_out;
  out["evaluated"] = counts.evaluated;
  out["accepted"] = counts.accepted;
  return out;
}

py::dict attributes_of(const Sampled& sampled) {
  const Export& exported = sampled.result.exported;
  py::dict out;
  out["created_at"] = exported.created_at;
  out["creation_library"] = "hunch";
  out["inference_library"] = "hunch";
  out["inference_library_version"] = exported.version;
  out["sampling_time"] = exported.seconds;
  out["tuning_steps"] = exported.warmup_iterations;
  out["method"] = exported.method;
  out["seed"] = exported.seed;
  return out;
}

std::string ending_of(const Sampled& sampled) {
  switch (sampled.result.ending) {
    case Ending::complete:
      return "complete";
    case Ending::goal_reached:
      return "goal_reached";
    case Ending::evaluations_spent:
      return "evaluations_spent";
    case Ending::time_spent:
      return "time_spent";
    case Ending::interrupted:
      return "interrupted";
  }
  throw std::logic_error("an ending without a name");
}

using Writer = void (*)(const Export&, const std::filesystem::path&, Overwrite);

template <Writer write>
void write_file(const Sampled& sampled, const std::string& path) {
  if (sampled.result.summary.empty()) throw InputError(path + ": there are no kept draws to write yet");
  write(sampled.result.exported, path, Overwrite::yes);
}

}  // namespace

void bind_sampled(py::module_& module) {
  py::class_<Sampled>(module, "Sampled")
      .def_property_readonly("names", [](const Sampled& s) { return s.result.draws.names(); })
      .def("draws", draws_of)
      .def("warmup", warmup_of)
      .def("sample_stats", sample_stats_of)
      .def("summary", summary_of)
      .def("evaluation_table", evaluations_of)
      .def("certificate", certificate_of)
      .def("counts", counts_of)
      .def("attributes", attributes_of)
      .def_property_readonly("evaluations", [](const Sampled& s) { return s.result.evaluations; })
      .def_property_readonly("calls", [](const Sampled& s) { return s.result.calls; })
      .def_property_readonly("remarks", [](const Sampled& s) { return s.result.remarks; })
      .def_property_readonly("doubts", [](const Sampled& s) { return s.result.doubts; })
      .def_property_readonly("ending", ending_of)
      .def_property_readonly("converged",
                             [](const Sampled& s) {
                               return s.result.doubts.empty() && !s.result.summary.empty() &&
                                      converged(s.result.summary, s.result.draws.chains());
                             })
      .def_readonly("memory", &Sampled::memory)
      .def("draws_sha256", [](const Sampled& s) { return sha256_of_draws(s.result.draws); })
      .def("write_netcdf", write_file<write_netcdf>)
      .def("write_cmdstan", write_file<write_cmdstan>)
      .def("write_getdist", write_file<write_getdist>)
      .def("write_csv", write_file<write_csv>);
}

}  // namespace hunch::python
