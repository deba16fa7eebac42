// Writes the sample reports that the browser tests open: write_reports FOLDER [FILE OF INJECTION STRINGS].
#include <filesystem>
#include <fstream>
#include <string>

#include "hunch/report/page.hpp"
#include "report/sample_report.hpp"

namespace {

using namespace hunch;

void write(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

// Every place where text of a user's reaches the page, hostile in all of them.
ReportData hostile(const std::string& attack) {
  const sample_report::Size small{.parameters = 4, .chains = 2, .length = 60, .evaluations = 90};
  ReportData data = sample_report::with_failures(attack, small);
  data.draws = sample_report::draws_of({attack, attack + "2", "plain", attack + attack}, small);
  data.name = data.problem = data.method = data.version = data.created_at = attack;
  data.settings = {{attack, attack}};
  data.config = data.go_on = data.go_on_exactly = data.go_on_with_more = attack;
  data.reproduce = data.remarks = {attack};
  for (ReportParameter& one : data.parameters) one.prior = attack;
  for (ReportAttempt& one : data.attempts)
    if (!one.failure.empty()) one.failure = attack;
  return data;
}

void write_hostile(const std::filesystem::path& folder, const std::filesystem::path& attacks) {
  std::ifstream in(attacks, std::ios::binary);
  std::string line;
  for (int number = 0; std::getline(in, line); ++number)
    write(folder / ("hostile-" + std::to_string(number) + ".html"), report_page(hostile(line)));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const std::filesystem::path folder = argv[1];
  write(folder / "ordinary.html", report_page(sample_report::ordinary()));
  write(folder / "no-draws.html", report_page(sample_report::no_draws_yet()));
  write(folder / "nothing.html", report_page(sample_report::nothing_at_all()));
  write(folder / "one.html", report_page(sample_report::one_of_each()));
  write(folder / "many.html", report_page(sample_report::many_parameters()));
  write(folder / "troubled.html", report_page(sample_report::troubled()));
  write(folder / "failures.html", report_page(sample_report::with_failures("Traceback: division by zero")));
  write(folder / "passed.html", report_page(sample_report::audited_and_passed()));
  write(folder / "refused.html", report_page(sample_report::audited_and_refused()));
  write(folder / "fallen-back.html", report_page(sample_report::fallen_back()));
  write(folder / "large.html", report_page(sample_report::large()));
  if (argc > 2) write_hostile(folder, argv[2]);
  return 0;
}
