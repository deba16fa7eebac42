#include <fmt/core.h>

#include <chrono>
#include <cmath>
#include <fstream>
#include <iterator>
#include <memory>

#include "hunch/cli/commands.hpp"
#include "hunch/cli/loopback_server.hpp"
#include "hunch/cli/progress_file.hpp"
#include "hunch/cli/report_source.hpp"
#include "hunch/cli/signals.hpp"
#include "hunch/cli/terminal.hpp"
#include "hunch/cli/told.hpp"
#include "hunch/report/page.hpp"

namespace hunch::cli {

namespace {

// A run says something every few seconds while rounds end; one long evaluation may well take longer.
constexpr double long_silence_seconds = 120;

double seconds_since(const std::filesystem::file_time_type& then) {
  return std::max(
      0.0, std::chrono::duration<double>(std::filesystem::file_time_type::clock::now() - then).count());
}

// A run as a browser sees it. Nothing in the run's directory is changed.
class Watched {
 public:
  explicit Watched(std::filesystem::path folder) : folder_(std::move(folder)) {}

  HttpAnswer answer(const std::string& path) {
    if (path == "/")
      return {.type = "text/html; charset=utf-8",
              .body = live_page(folder_.filename().string()),
              .headers = {{"Content-Security-Policy", live_policy() + "; frame-ancestors 'none'"}}};
    if (path == "/status") return {.body = status(), .headers = {{"Hunch-Report", version()}}};
    if (path == "/report.html") return report();
    if (path == "/favicon.ico") return {.status = 204};
    return {.status = 404, .body = "there is nothing here\n"};
  }

 private:
  std::filesystem::path file() const { return folder_ / "report.html"; }

  std::string version() const {
    std::error_code none;
    const auto written = std::filesystem::last_write_time(file(), none);
    if (none) return in_progress() ? "none" : "from the store";
    return std::to_string(written.time_since_epoch().count());
  }

  HttpAnswer report() {
    std::ifstream in(file(), std::ios::binary);
    if (in)
      return {.type = "text/html; charset=utf-8",
              .body = std::string(std::istreambuf_iterator<char>(in), {})};
    if (!in_progress() && made_.empty()) make_from_store();
    if (!made_.empty()) return {.type = "text/html; charset=utf-8", .body = made_};
    return {.status = 404, .body = "the first report comes after some seconds\n"};
  }

  bool in_progress() const {
    const auto progress = read_progress(folder_);
    return progress && !progress->ending;
  }

  // Of a run that wrote no report; once, because it repeats the run from its store.
  void make_from_store() {
    try {
      const Told told(folder_.string());
      made_ =
          report_page(report_of(told.job, told.result, {folder_.string(), told.store, told.times().seconds}));
    } catch (const StoreInUse&) {
      return;  // it has begun again: its own report will come
    }
  }

  std::string status() const {
    const auto at = read_progress(folder_);
    if (!at) return "The run has not said anything yet.";
    if (at->ending) return fmt::format("The run has ended: {}.", *at->ending);
    std::error_code none;
    const auto heard = std::filesystem::last_write_time(folder_ / "progress.json", none);
    std::string words = fmt::format("In progress ({}): {} of {} iterations, {} evaluations", at->phase,
                                    at->iterations, at->iterations_total, at->evaluations);
    if (at->seconds_left) words += fmt::format(", about {} left", clock_text(*at->seconds_left));
    const double age = none ? 0 : seconds_since(heard);
    if (!none) words += fmt::format("; last heard of {} s ago", std::llround(age));
    if (age > long_silence_seconds) words += "; if its process is gone, hunch resume goes on";
    return words + ".";
  }

  std::filesystem::path folder_;
  std::string made_;
};

int watch(const std::string& folder, int port) {
  if (!RunDirectory::holds_run(folder)) throw InputError(folder + " is not the directory of a run");
  listen_for_signals();
  std::filesystem::path place = std::filesystem::path(folder).lexically_normal();
  if (!place.has_filename()) place = place.parent_path();
  Watched watched(place);
  LoopbackServer server(port);
  fmt::print("http://127.0.0.1:{}/ shows {}; Ctrl-C ends it\n", server.port(), folder);
  std::fflush(stdout);
  server.serve([&](const std::string& path) { return watched.answer(path); },
               [] { return caught_signal() != 0; });
  return exit_good;
}

}  // namespace

void add_watch(CLI::App& app, Action& action) {
  auto* command =
      app.add_subcommand("watch", "Serve a run's report to this machine's browsers while it goes on");
  auto folder = std::make_shared<std::string>();
  auto port = std::make_shared<int>(0);
  command->add_option("directory", *folder, "Directory of the run")->required();
  command->add_option("--port", *port, "Port of 127.0.0.1 (any that is free)")->check(CLI::Range(0, 65535));
  command->callback([&action, folder, port] { action = [=] { return watch(*folder, *port); }; });
}

}  // namespace hunch::cli
