#include "report.hpp"

#include "hunch/cli/report_source.hpp"
#include "hunch/run/run_directory.hpp"
#include "hunch/run/session.hpp"

namespace hunch::python {

void write_report_of(const ReportRequest& request) {
  const RunDirectory directory = RunDirectory::open(request.folder);
  const Job job = make_job(directory.config(), directory.base());
  Store store(directory.store(), job.identity, Durability::full);
  ReportData data =
      cli::report_of(job, replay(job, store), cli::RunFacts{request.folder, store, request.seconds});
  // Only the program that has the function can make such a run again.
  if (std::holds_alternative<FunctionConfig>(job.config.model.door)) {
    data.reproduce = {"hunch.sample(...), as it was called; the config below is what it came to"};
    data.go_on = "result.resume()";
    data.go_on_exactly = "result.resume(exactness=\"exact\"), with another store if there is one.";
    data.go_on_with_more = "result.resume(draws=...)";
  }
  if (request.name) data.name = *request.name;
  cli::write_report(request.file, data);
}

}  // namespace hunch::python
