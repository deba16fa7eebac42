#include "hunch/cli/progress_file.hpp"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <fstream>

#include "hunch/draws/whole_files.hpp"

namespace hunch::cli {

namespace {

using Json = nlohmann::ordered_json;

std::filesystem::path file_in(const std::filesystem::path& folder) {
  return folder / "progress.json";
}

Json number(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

std::optional<double> number_at(const Json& json, const char* key) {
  const Json& value = json.at(key);
  return value.is_null() ? std::nullopt : std::optional(value.get<double>());
}

// The file may be a stranger's: only what looks like a time is shown on a terminal.
std::string time_at(const Json& json, const char* key) {
  const auto text = json.at(key).get<std::string>();
  const bool looks_right = text.size() == 20 && text.find_first_not_of("0123456789-:TZ") == std::string::npos;
  return looks_right ? text : "an unknown time";
}

std::string phase_at(const Json& json) {
  for (const char* known : {"exploring", "burn-in", "sampling"})
    if (json.at("phase") == known) return known;
  return "in an unknown phase";
}

RunProgress progress_from(const Json& json) {
  RunProgress progress;
  progress.phase = phase_at(json);
  if (!json.at("ending").is_null()) progress.ending = json.at("ending").get<std::string>();
  json.at("iterations").get_to(progress.iterations);
  json.at("iterations_total").get_to(progress.iterations_total);
  json.at("draws_kept_by_every_chain").get_to(progress.kept);
  json.at("evaluations").get_to(progress.evaluations);
  json.at("failed_attempts").get_to(progress.failed_attempts);
  json.at("acceptance").at("stage1").get_to(progress.stage1_rate);
  json.at("acceptance").at("stage2").get_to(progress.stage2_rate);
  progress.quality = {number_at(json, "rhat"), number_at(json, "ess_bulk"), number_at(json, "ess_tail")};
  progress.seconds_left = number_at(json, "seconds_left");
  json.at("seconds").get_to(progress.seconds);
  json.at("model_seconds").get_to(progress.model_seconds);
  json.at("pid").get_to(progress.process);
  progress.started_at = time_at(json, "started_at");
  progress.updated_at = time_at(json, "updated_at");
  return progress;
}

}  // namespace

Json to_json(const RunProgress& progress) {
  return {{"phase", progress.phase},
          {"ending", progress.ending ? Json(*progress.ending) : Json(nullptr)},
          {"iterations", progress.iterations},
          {"iterations_total", progress.iterations_total},
          {"draws_kept_by_every_chain", progress.kept},
          {"evaluations", progress.evaluations},
          {"failed_attempts", progress.failed_attempts},
          {"acceptance", {{"stage1", progress.stage1_rate}, {"stage2", progress.stage2_rate}}},
          {"rhat", number(progress.quality.worst_rhat)},
          {"ess_bulk", number(progress.quality.least_ess_bulk)},
          {"ess_tail", number(progress.quality.least_ess_tail)},
          {"seconds_left", number(progress.seconds_left)},
          {"seconds", progress.seconds},
          {"model_seconds", progress.model_seconds},
          {"pid", progress.process},
          {"started_at", progress.started_at},
          {"updated_at", progress.updated_at}};
}

void write_progress(const std::filesystem::path& folder, const RunProgress& progress) {
  try {
    WholeFiles file(Overwrite::yes);
    file.write(file_in(folder), to_json(progress).dump(2) + "\n");
    file.publish();
  } catch (const std::exception&) {  // stale news is all that is lost
    return;
  }
}

std::optional<RunProgress> read_progress(const std::filesystem::path& folder) {
  std::ifstream in(file_in(folder));
  if (!in) return std::nullopt;
  try {
    return progress_from(Json::parse(in));
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

std::string utc_now() {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(now)));
}

}  // namespace hunch::cli
