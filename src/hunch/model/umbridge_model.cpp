#include "hunch/model/umbridge_model.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "hunch/core/numeric.hpp"
#include "hunch/model/answer.hpp"
#include "hunch/model/http_client.hpp"
#include "hunch/model/server_pool.hpp"
#include "hunch/model/umbridge_protocol.hpp"
#include "hunch/model/umbridge_served.hpp"

namespace hunch {

namespace {

using nlohmann::json;
using Gives = UmBridgeSettings::Gives;
using UseGradient = UmBridgeSettings::UseGradient;

void check_settings(const UmBridgeSettings& settings) {
  const auto check = [](bool good, std::string_view complaint) {
    if (!good) throw InputError(fmt::format("UM-Bridge model: {}", complaint));
  };
  const auto duration = [](double seconds) { return seconds > 0 && seconds <= 1e8; };
  check(!settings.urls.empty(), "no url was given");
  check(duration(settings.connect_timeout_seconds), "the connect timeout must be in (0, 1e8] seconds");
  check(duration(settings.timeout_seconds), "the timeout must be in (0, 1e8] seconds");
  check(settings.concurrent_per_url >= 1, "concurrent evaluations per url must be 1 or more");
  check(settings.output_index >= 0, "the output index must be 0 or more");
  if (settings.gives != Gives::forward) return;
  const Index sds = settings.noise_sd.size();
  check(settings.data.size() > 0 && settings.data.allFinite(), "a forward model needs data, all finite");
  check(sds == 1 || sds == settings.data.size(), "the noise needs one sd, or one for each of the data");
  check(settings.noise_sd.allFinite() && settings.noise_sd.minCoeff() > 0,
        "the noise sd must be positive and finite");
}

json parsed_config(const std::string& text) {
  if (text.empty()) return nullptr;
  json config = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!config.is_object()) throw InputError("UM-Bridge model: the config is not a JSON object: " + text);
  return config;
}

class UmBridgeModel final : public Model {
 public:
  UmBridgeModel(UmBridgeSettings settings, Index dimension)
      : settings_(std::move(settings)),
        config_(parsed_config(settings_.config_json)),
        dimension_(dimension),
        pool_(settings_.urls.size(), settings_.concurrent_per_url) {
    for (const std::string& text : settings_.urls) meet(parse_http_url(text));
  }

  Capabilities capabilities() const override {
    return {served_.gradient && settings_.gradient != UseGradient::never};
  }
  Outcome evaluate(const Vector& theta, Want want) override;
  void cancel() override { cancelled_.request_stop(); }

 private:
  void meet(HttpUrl url);
  HttpLimits limits() const;
  json question() const;
  json question_at(const Vector& theta) const;

  Exact answer(const HttpServer& server, const Vector& theta, Want want) const;
  const json& first_output(const json& answer) const;
  Vector gradient(const HttpServer& server, json question, const Vector& sensitivity,
                  const HttpLimits& limits) const;
  std::pair<double, Vector> log_density(const json& numbers) const;

  UmBridgeSettings settings_;
  json config_;
  Index dimension_;
  UmBridgeServed served_;
  std::vector<HttpServer> servers_;
  ServerPool pool_;
  std::stop_source cancelled_;
};

void UmBridgeModel::meet(HttpUrl url) {
  const std::string text = url.text;
  try {
    const HttpServer& server = servers_.emplace_back(std::move(url));
    const UmBridgeServed served = describe_umbridge(server, question(), limits());
    check_fit(served, settings_, dimension_);
    if (servers_.size() > 1 && served != served_)
      throw UmBridgeFailure{OutcomeKind::protocol,
                            "its model differs in sizes or gradient from that of the first url"};
    served_ = served;
  } catch (const NetworkFailure& failure) {
    throw ModelUnavailable(text, failure.what());
  } catch (const UmBridgeFailure& failure) {
    if (failure.kind != OutcomeKind::protocol) throw ModelUnavailable(text, failure.message);
    throw InputError(fmt::format("UM-Bridge model at {}: {}", text, failure.message));
  }
}

HttpLimits UmBridgeModel::limits() const {
  HttpLimits limits{settings_.connect_timeout_seconds, seconds_from_now(settings_.timeout_seconds)};
  // An answer has one number for each output or each parameter; more than this is no answer.
  const Index numbers = std::accumulate(served_.output_sizes.begin(), served_.output_sizes.end(), dimension_);
  const std::size_t expected = (std::size_t{1} << 20) + 64 * static_cast<std::size_t>(numbers);
  limits.cancelled = cancelled_.get_token();
  limits.largest_body = std::min(limits.largest_body, expected);
  return limits;
}

json UmBridgeModel::question() const {
  json question{{"name", settings_.model_name}};
  if (!config_.is_null()) question["config"] = config_;
  return question;
}

json UmBridgeModel::question_at(const Vector& theta) const {
  json input = json::array();
  Index start = 0;
  for (const Index size : served_.input_sizes) {
    const Vector block = theta.segment(start, size);
    input.push_back(std::vector<double>(block.begin(), block.end()));
    start += size;
  }
  json asked = question();
  asked["input"] = std::move(input);
  return asked;
}

Outcome UmBridgeModel::evaluate(const Vector& theta, Want want) {
  if (theta.size() != dimension_)
    return {OutcomeKind::protocol, {}, fmt::format("{} numbers for {} parameters", theta.size(), dimension_)};
  ServerPool::Place place(pool_);
  try {
    return judge(answer(servers_[place.server()], theta, want), dimension_, want);
  } catch (const UmBridgeFailure& failure) {
    if (failure.kind == OutcomeKind::lost) place.report_lost();
    const std::string& url = servers_[place.server()].url().text;
    return {failure.kind, {}, fmt::format("{}: {}", url, failure.message)};
  }
}

Exact UmBridgeModel::answer(const HttpServer& server, const Vector& theta, Want want) const {
  const HttpLimits within = limits();
  const json asked = question_at(theta);
  const json answered = ask_umbridge(server, "/Evaluate", asked, within);
  const auto [value, sensitivity] = log_density(first_output(answered));
  if (want == Want::value || !capabilities().gradient || !std::isfinite(value)) return {value, std::nullopt};
  return {value, gradient(server, asked, sensitivity, within)};
}

// Every block must have the size that was announced; the first one is used.
const json& UmBridgeModel::first_output(const json& answer) const {
  const auto refuse = [this] {
    throw UmBridgeFailure{
        OutcomeKind::protocol,
        fmt::format("the output does not have the announced sizes {}", served_.output_sizes)};
  };
  if (!answer.is_object() || !answer.contains("output") || !answer["output"].is_array() ||
      answer["output"].size() != served_.output_sizes.size())
    refuse();
  const json& output = answer["output"];
  for (std::size_t i = 0; i < output.size(); ++i)
    if (!output[i].is_array() || output[i].size() != static_cast<std::size_t>(served_.output_sizes[i]))
      refuse();
  return output[0];
}

// The log density, and its derivative with respect to the first output.
std::pair<double, Vector> UmBridgeModel::log_density(const json& numbers) const {
  const auto count = static_cast<Index>(numbers.size());
  const Index chosen = settings_.output_index;
  if (settings_.gives != Gives::forward)
    return {json_number(numbers[static_cast<std::size_t>(chosen)]), Vector::Unit(count, chosen)};
  Vector output(count);
  std::transform(numbers.begin(), numbers.end(), output.begin(), json_number);
  if (!output.allFinite())
    throw UmBridgeFailure{OutcomeKind::nan, "the forward output is not finite everywhere"};
  const Vector sd = settings_.noise_sd.size() == 1 ? Vector::Constant(output.size(), settings_.noise_sd[0])
                                                   : settings_.noise_sd;
  const Vector scaled = (settings_.data - output).cwiseQuotient(sd);
  const double value = -0.5 * scaled.squaredNorm() - sd.array().log().sum() -
                       0.5 * static_cast<double>(output.size()) * log_two_pi;
  return {value, scaled.cwiseQuotient(sd)};
}

Vector UmBridgeModel::gradient(const HttpServer& server, json question, const Vector& sensitivity,
                               const HttpLimits& limits) const {
  question["outWrt"] = 0;
  question["sens"] = std::vector<double>(sensitivity.begin(), sensitivity.end());
  Vector gradient(dimension_);
  Index start = 0;
  for (std::size_t block = 0; block < served_.input_sizes.size(); ++block) {
    question["inWrt"] = block;
    const json answer = ask_umbridge(server, "/Gradient", question, limits);
    const auto size = static_cast<std::size_t>(served_.input_sizes[block]);
    if (!answer.is_object() || !answer.contains("output") || !answer["output"].is_array() ||
        answer["output"].size() != size)
      throw UmBridgeFailure{OutcomeKind::protocol, fmt::format("the gradient is not {} numbers", size)};
    for (const json& number : answer["output"]) gradient[start++] = json_number(number);
  }
  return gradient;
}

}  // namespace

ModelUnavailable::ModelUnavailable(const std::string& url, const std::string& reason)
    : std::runtime_error(fmt::format("no model at {}: {}", url, reason)), url_(url) {}

std::unique_ptr<Model> open_umbridge(UmBridgeSettings settings, Index dimension) {
  check_settings(settings);
  return std::make_unique<UmBridgeModel>(std::move(settings), dimension);
}

}  // namespace hunch
