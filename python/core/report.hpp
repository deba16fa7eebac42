// Report: the page about a run in its directory, as `hunch report` writes it, in words for users of Python.
#pragma once

#include <optional>
#include <string>

namespace hunch::python {

struct ReportRequest {
  std::string folder;  // of the run
  std::string file;
  double seconds;                   // that it took
  std::optional<std::string> name;  // of the run; default: its folder's
};

void write_report_of(const ReportRequest& request);  // InputError, StoreRefused

}  // namespace hunch::python
