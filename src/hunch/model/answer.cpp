#include "hunch/model/answer.hpp"

#include <fmt/format.h>
#include <locale.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

#include "hunch/core/numeric.hpp"

namespace hunch {

namespace {

constexpr int deepest_nesting = 32;

// What is wrong with an answer, in words; it never leaves this file.
struct Malformed {
  std::string reason;
};

// A decimal number beyond the range of a double: plus or minus infinity, or zero.
double out_of_range(const std::string& digits) {
  const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);
  const double number = strtod_l(digits.c_str(), nullptr, plain);
  freelocale(plain);
  return number;
}

// All of `text` as a decimal number, inf or nan; nothing when it is anything else.
std::optional<double> number_in(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (stop != end || error == std::errc::invalid_argument) return std::nullopt;
  return error == std::errc::result_out_of_range ? out_of_range(std::string(text)) : number;
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

// Reads the one JSON object that an answer may be. A general parser would refuse NaN and 1e999, which
// models do write.
class AnswerObject {
 public:
  explicit AnswerObject(std::string_view text) : rest_(text) {}

  Exact read() {
    expect('{');
    if (!accept('}')) {
      do read_member();
      while (accept(','));
      expect('}');
    }
    skip_space();
    if (!rest_.empty()) throw Malformed{"something follows the object"};
    if (!log_likelihood_) throw Malformed{"there is no \"log_likelihood\""};
    return {*log_likelihood_, std::move(gradient_)};
  }

 private:
  void read_member() {
    const std::string_view key = string();
    expect(':');
    if (key == "log_likelihood") {
      if (log_likelihood_) throw Malformed{"\"log_likelihood\" is there twice"};
      log_likelihood_ = number();
    } else if (key == "gradient") {
      if (gradient_) throw Malformed{"\"gradient\" is there twice"};
      if (peek() == '[')
        gradient_ = numbers();
      else if (word() != "null")
        throw Malformed{"\"gradient\" is not a list of numbers"};
    } else {
      pass_over(deepest_nesting);
    }
  }

  double number() {
    const bool in_quotes = peek() == '"';
    const auto found = number_in(in_quotes ? string() : word());
    if (!found || (in_quotes && std::isfinite(*found))) throw Malformed{"a number was expected"};
    return *found;
  }

  Vector numbers() {
    std::vector<double> found;
    expect('[');
    if (!accept(']')) {
      do found.push_back(number());
      while (accept(','));
      expect(']');
    }
    return Eigen::Map<const Vector>(found.data(), static_cast<Index>(found.size()));
  }

  void pass_over(int levels_left) {
    if (levels_left == 0) throw Malformed{"it is nested too deeply"};
    if (peek() == '"') {
      string();
    } else if (accept('[')) {
      if (accept(']')) return;
      do pass_over(levels_left - 1);
      while (accept(','));
      expect(']');
    } else if (accept('{')) {
      if (accept('}')) return;
      do {
        string();
        expect(':');
        pass_over(levels_left - 1);
      } while (accept(','));
      expect('}');
    } else if (const auto found = word(); found != "null" && found != "true" && found != "false") {
      if (!number_in(found)) throw Malformed{"it is not JSON"};
    }
  }

  // The characters between the quotes as they stand: no key or word that matters needs an escape.
  std::string_view string() {
    expect('"');
    for (std::size_t i = 0; i < rest_.size() && static_cast<unsigned char>(rest_[i]) >= 0x20; ++i) {
      if (rest_[i] == '\\') {
        ++i;
      } else if (rest_[i] == '"') {
        const auto inside = rest_.substr(0, i);
        rest_.remove_prefix(i + 1);
        return inside;
      }
    }
    throw Malformed{"a string does not end"};
  }

  std::string_view word() {
    skip_space();
    const auto found = rest_.substr(0, rest_.find_first_of(" \t\r\n,:\"[]{}"));
    rest_.remove_prefix(found.size());
    return found;
  }

  void skip_space() {
    const auto first = rest_.find_first_not_of(" \t\r\n");
    rest_.remove_prefix(first == std::string_view::npos ? rest_.size() : first);
  }

  char peek() {
    skip_space();
    if (rest_.empty()) throw Malformed{"it ends too soon"};
    return rest_.front();
  }

  bool accept(char wanted) {
    if (peek() != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void expect(char wanted) {
    if (!accept(wanted)) throw Malformed{fmt::format("'{}' was expected", wanted)};
  }

  std::string_view rest_;
  std::optional<double> log_likelihood_;
  std::optional<Vector> gradient_;
};

Exact parse(std::string_view text) {
  const auto answer = trimmed(text);
  if (text.size() > largest_answer) throw Malformed{"it is longer than 1 MiB"};
  if (answer.empty()) throw Malformed{"it is empty"};
  if (answer.front() == '{') return AnswerObject(answer).read();
  if (const auto number = number_in(answer)) return {*number, std::nullopt};
  throw Malformed{"it is neither a number nor a JSON object"};
}

std::string escaped(char byte) {
  const auto code = static_cast<unsigned char>(byte);
  if (byte == '\n') return "\\n";
  if (byte == '"' || byte == '\\') return {'\\', byte};
  return code >= 0x20 && code < 0x7f ? std::string(1, byte) : fmt::format("\\x{:02x}", code);
}

}  // namespace

std::string printable(std::string_view bytes) {
  std::string shown;
  for (const char byte : bytes) shown += escaped(byte);
  return shown;
}

std::string quoted_beginning(std::string_view bytes) {
  constexpr std::size_t most = 80;
  const std::string_view dots = "...";
  std::string shown;
  for (const char byte : bytes) {
    const std::string piece = escaped(byte);
    if (shown.size() + piece.size() + dots.size() > most) return fmt::format("\"{}{}\"", shown, dots);
    shown += piece;
  }
  return fmt::format("\"{}\"", shown);
}

Outcome judge(Exact exact, Index dimension, Want want) {
  const double value = exact.log_likelihood;
  if (value == -infinity) return {OutcomeKind::zero, {value, std::nullopt}, ""};
  if (value == infinity) return {OutcomeKind::nan, {}, "the log-likelihood is plus infinity"};
  if (!std::isfinite(value)) return {OutcomeKind::nan, {}, "the log-likelihood is not a number"};
  if (want == Want::value_and_gradient && !exact.gradient)
    return {OutcomeKind::protocol, {}, "a gradient was asked for and none was given"};
  if (exact.gradient && exact.gradient->size() != dimension)
    return {
        OutcomeKind::protocol,
        {},
        fmt::format("the gradient has {} components for {} parameters", exact.gradient->size(), dimension)};
  if (exact.gradient && !exact.gradient->allFinite()) {
    if (want == Want::value_and_gradient) return {OutcomeKind::nan, {}, "the gradient is not finite"};
    exact.gradient.reset();
  }
  return {OutcomeKind::value, std::move(exact), ""};
}

Outcome read_answer(std::string_view text, Index dimension, Want want) {
  try {
    return judge(parse(text), dimension, want);
  } catch (const Malformed& malformed) {
    return {
        OutcomeKind::protocol,
        {},
        fmt::format("the answer {} cannot be read: {}", quoted_beginning(trimmed(text)), malformed.reason)};
  }
}

}  // namespace hunch
