#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "hunch/model/umbridge_model.hpp"
#include "hunch/model/umbridge_protocol.hpp"
#include "model/fake_umbridge.hpp"

namespace hunch {
namespace {

using testing::HasSubstr;
using Kind = OutcomeKind;

std::ptrdiff_t entries(const char* folder) {
  return std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator());
}

struct Case {
  const char* mode;
  OutcomeKind kind;
  const char* says = "";
};

void PrintTo(const Case& tested, std::ostream* out) {
  *out << tested.mode;
}

// Short where it must pass, long where another outcome must come first on the slowest machine.
double timeout_for(const Case& tested) {
  return tested.kind == Kind::timeout ? 2 : 20;
}

class UmBridgeMisbehaviour : public testing::TestWithParam<Case> {};

UmBridgeSettings settings_for(const FakeUmBridge& server, double timeout_seconds) {
  UmBridgeSettings settings;
  settings.urls = {server.url()};
  settings.model_name = "posterior";
  settings.timeout_seconds = timeout_seconds;
  return settings;
}

TEST_P(UmBridgeMisbehaviour, IsADefinedOutcomeInTimeAndLeavesNothing) {
  const FakeUmBridge server({"--mode", GetParam().mode});
  const auto model = open_umbridge(settings_for(server, timeout_for(GetParam())), 2);
  const auto descriptors = entries("/proc/self/fd");
  const auto threads = entries("/proc/self/task");
  const auto start = std::chrono::steady_clock::now();
  const Outcome outcome = model->evaluate(Vector({{1.0, 2.0}}), Want::value);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(outcome.kind, GetParam().kind) << outcome.message;
  EXPECT_THAT(outcome.message, HasSubstr(GetParam().says));
  EXPECT_EQ(outcome.answered(), outcome.message.empty());
  EXPECT_LE(outcome.message.size(), 700u);
  for (const char c : outcome.message) EXPECT_TRUE(c >= ' ' && c < 0x7f) << outcome.message;
  if (outcome.kind == Kind::value) {
    EXPECT_EQ(outcome.exact.log_likelihood, -4.5);
  }
  EXPECT_LE(taken.count(), timeout_for(GetParam()) + 2);
  EXPECT_EQ(entries("/proc/self/fd"), descriptors);
  EXPECT_EQ(entries("/proc/self/task"), threads);
}

INSTANTIATE_TEST_SUITE_P(
    Each, UmBridgeMisbehaviour,
    testing::Values(
        Case{"good", Kind::value}, Case{"chunked", Kind::value}, Case{"until_close", Kind::value},
        Case{"continue_first", Kind::value}, Case{"bare_newlines", Kind::value},

        Case{"nan", Kind::nan}, Case{"NaN", Kind::nan}, Case{"null", Kind::nan, "either infinity"},
        Case{"inf", Kind::nan, "plus infinity"}, Case{"Infinity", Kind::nan, "plus infinity"},
        Case{"overflow", Kind::nan, "plus infinity"}, Case{"minus_inf", Kind::zero},
        Case{"minus_Infinity", Kind::zero}, Case{"minus_overflow", Kind::zero},

        Case{"exception_text", Kind::crash, "ValueError: negative?[31m mass?"},
        Case{"exception_header", Kind::crash, "matrix is singular"},
        Case{"invalid_input", Kind::protocol, "InvalidInput: the \"point\" is odd"},
        Case{"invalid_output", Kind::crash, "InvalidOutput"},
        Case{"error_with_200", Kind::protocol, "InvalidInput"}, Case{"not_found", Kind::protocol, "404"},
        Case{"page_502", Kind::lost, "502, a web page"}, Case{"page_503", Kind::lost},
        Case{"page_504", Kind::lost}, Case{"too_many", Kind::lost, "slow down"},
        Case{"no_content", Kind::protocol, "204"},
        Case{"redirect", Kind::protocol, "redirected to /Evaluate"},

        Case{"die", Kind::crash, "closed without an answer"}, Case{"reset", Kind::crash},
        Case{"close", Kind::crash, "closed without an answer"}, Case{"half_head", Kind::crash, "broke off"},
        Case{"half_body", Kind::crash, "3 bytes short"}, Case{"half_chunk", Kind::crash, "broke off"},
        Case{"no_last_chunk", Kind::crash, "broke off"}, Case{"leave", Kind::lost, "Connection refused"},
        Case{"hang", Kind::timeout}, Case{"hang_after_head", Kind::timeout},
        Case{"hang_in_body", Kind::timeout}, Case{"drip", Kind::timeout}));

INSTANTIATE_TEST_SUITE_P(TooMuch, UmBridgeMisbehaviour,
                         testing::Values(Case{"endless_chunks", Kind::protocol, "larger than"},
                                         Case{"endless_tiny_chunks", Kind::protocol, "larger than"},
                                         Case{"endless_body", Kind::protocol, "larger than"},
                                         Case{"endless_head", Kind::protocol, "does not end"},
                                         Case{"endless_line", Kind::protocol, "does not end"},
                                         Case{"endless_continue", Kind::protocol, "does not end"},
                                         Case{"huge_length", Kind::protocol, "larger than"},
                                         Case{"gzip_bomb", Kind::protocol, "compressed"},
                                         Case{"gzip_unannounced", Kind::protocol},
                                         Case{"deep_json", Kind::protocol, "not JSON"},
                                         Case{"deep_objects", Kind::protocol, "not JSON"}));

INSTANTIATE_TEST_SUITE_P(
    Rubbish, UmBridgeMisbehaviour,
    testing::Values(
        Case{"not_http", Kind::protocol, "status line"}, Case{"bad_status", Kind::protocol, "status line"},
        Case{"bad_header", Kind::protocol, "header"}, Case{"bad_length", Kind::protocol, "length"},
        Case{"two_lengths", Kind::protocol, "length"}, Case{"bad_chunk", Kind::protocol, "chunk"},
        Case{"negative_chunk", Kind::protocol, "chunk"}, Case{"long_chunk", Kind::protocol, "chunk"},
        Case{"overflow_chunk", Kind::protocol, "chunk"}, Case{"odd_transfer", Kind::protocol, "transfer"},
        Case{"bad_json", Kind::protocol, "not JSON"}, Case{"cut_json", Kind::protocol, "not JSON"},
        Case{"empty", Kind::protocol, "not JSON"}, Case{"invalid_utf8", Kind::protocol, "not JSON"},
        Case{"list", Kind::protocol}, Case{"bare_number", Kind::protocol}, Case{"no_output", Kind::protocol},
        Case{"comma", Kind::protocol, "sizes [1]"}, Case{"text_number", Kind::protocol, "no number"},
        Case{"hex", Kind::protocol, "not JSON"}, Case{"true", Kind::protocol, "no number"},
        Case{"empty_block", Kind::protocol, "sizes [1]"}, Case{"nested", Kind::protocol},
        Case{"flat", Kind::protocol, "sizes [1]"}, Case{"more_blocks", Kind::protocol, "sizes [1]"},
        Case{"no_blocks", Kind::protocol, "sizes [1]"}));

class UmBridgeGradientMisbehaviour : public testing::TestWithParam<Case> {};

TEST_P(UmBridgeGradientMisbehaviour, IsADefinedOutcomeInTime) {
  const FakeUmBridge server({"--on", "Gradient", "--mode", GetParam().mode});
  const auto model = open_umbridge(settings_for(server, timeout_for(GetParam())), 2);
  const auto start = std::chrono::steady_clock::now();
  const Outcome outcome = model->evaluate(Vector({{1.0, 2.0}}), Want::value_and_gradient);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(outcome.kind, GetParam().kind) << outcome.message;
  EXPECT_THAT(outcome.message, HasSubstr(GetParam().says));
  EXPECT_LE(taken.count(), timeout_for(GetParam()) + 2);
  if (GetParam().mode == std::string("die")) return;
  EXPECT_EQ(model->evaluate(Vector({{1.0, 2.0}}), Want::value).kind, Kind::value)
      << "the value alone is well";
}

INSTANTIATE_TEST_SUITE_P(Each, UmBridgeGradientMisbehaviour,
                         testing::Values(Case{"nan", Kind::protocol, "not 2 numbers"},
                                         Case{"exception_header", Kind::crash, "/Gradient: status 500"},
                                         Case{"die", Kind::crash}, Case{"hang", Kind::timeout},
                                         Case{"flat", Kind::protocol, "not 2 numbers"},
                                         Case{"null_gradient", Kind::nan, "null"},
                                         Case{"infinite_gradient", Kind::nan, "gradient"},
                                         Case{"page_502", Kind::lost}));

TEST(UmBridgeFailures, NothingIsAskedTwice) {
  for (const char* mode : {"redirect", "exception_text", "reset", "close", "page_503", "half_body"}) {
    const FakeUmBridge server({"--mode", mode});
    open_umbridge(settings_for(server, 20), 2)->evaluate(Vector::Zero(2), Want::value);
    const auto count =
        ask_umbridge(HttpServer(parse_http_url(server.url())), "/Count", nullptr, {10, seconds_from_now(10)});
    EXPECT_EQ(count["Evaluate"], 1) << mode;
  }
}

TEST(UmBridgeFailures, CancelEndsWhatIsUnderWayAndWhatIsToCome) {
  for (const char* mode : {"hang", "hang_in_body", "drip"}) {
    const FakeUmBridge server({"--mode", mode});
    const auto model = open_umbridge(settings_for(server, 600), 2);
    const auto descriptors = entries("/proc/self/fd");
    std::vector<Outcome> outcomes(2);  // the second waits for a place
    std::vector<std::jthread> threads;
    for (auto& outcome : outcomes)
      threads.emplace_back([&] { outcome = model->evaluate(Vector::Zero(2), Want::value); });
    const HttpServer same(parse_http_url(server.url()));
    while (!ask_umbridge(same, "/Count", nullptr, {10, seconds_from_now(10)}).contains("Evaluate"))
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const auto start = std::chrono::steady_clock::now();
    model->cancel();
    threads.clear();
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
    for (const auto& outcome : outcomes) EXPECT_EQ(outcome.kind, Kind::lost) << outcome.message;
    EXPECT_EQ(model->evaluate(Vector::Zero(2), Want::value).kind, Kind::lost);
    EXPECT_EQ(entries("/proc/self/fd"), descriptors) << "a socket was left open";
  }
}

TEST(UmBridgeFailures, ConnectingHasATimeoutOfItsOwn) {
  const FakeUmBridge server({"--mode", "full"});
  const HttpServer full(parse_http_url(server.url()));
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THROW(ask_umbridge(full, "/Info", nullptr, {0.3, seconds_from_now(60)}), UmBridgeFailure);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

}  // namespace
}  // namespace hunch
