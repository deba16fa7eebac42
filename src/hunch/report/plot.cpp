#include "hunch/report/plot.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace hunch {

namespace {

// A tenth of a pixel is fine enough.
std::string place(double value) {
  std::string text = fmt::format("{:.1f}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

std::string pen_to(char command, double x, double y) {
  return fmt::format("{}{} {}", command, place(x), place(y));
}

std::string level_line(double x, double y, double length) {
  return fmt::format("M{} {}h{}", place(x), place(y), place(length));
}

std::string tick_words(double value, Axis axis) {
  return in_short(axis == Axis::powers ? std::pow(10, value) : value);
}

std::vector<double> ticks(const Range& range, Axis axis, int about) {
  if (axis == Axis::bare) return {};
  if (axis == Axis::numbers) return round_numbers(range, about);
  std::vector<double> at;
  const bool narrow = range.width() < 2.5;  // decades: then 2 and 5 have room too
  for (double power = std::floor(range.low); power <= range.high; ++power)
    for (const double mantissa : {1.0, 2.0, 5.0}) {
      const double tick = power + std::log10(mantissa);
      if (tick >= range.low && tick <= range.high && (narrow || mantissa == 1)) at.push_back(tick);
    }
  return at;
}

bool finite(const Point& point) {
  return std::isfinite(point.x) && std::isfinite(point.y);
}

}  // namespace

Range with_room(Range range, double share) {
  if (!std::isfinite(range.low) || !std::isfinite(range.high)) return {0, 1};
  const double smallest = 1e-9 * std::max(std::abs(range.low), std::abs(range.high));
  if (!(range.width() > smallest)) {
    const double room = std::max(0.1 * std::abs(range.low), 1e-6);
    return {range.low - room, range.high + room};
  }
  return {range.low - share * range.width(), range.high + share * range.width()};
}

Plot::Plot(PlotFrame frame)
    : frame_(std::move(frame)),
      left_(frame_.y_axis == Axis::bare ? 12 : 46),
      right_(18),
      top_(8),
      bottom_((frame_.x_axis == Axis::bare ? 6 : 20) + (frame_.x_name.empty() ? 0 : 15)) {
  if (!frame_.y_name.empty()) left_ += 14;
}

double Plot::across(double x) const {
  return inner_width() * (x - frame_.x.low) / frame_.x.width();
}

double Plot::down(double y) const {
  return inner_height() * (frame_.y.high - y) / frame_.y.width();
}

std::string Plot::path(const std::vector<Point>& points) const {
  std::string d;
  bool pen_down = false;
  for (const Point& point : points) {
    if (!finite(point)) {
      pen_down = false;
      continue;
    }
    d += pen_to(pen_down ? 'L' : 'M', across(point.x), down(point.y));
    pen_down = true;
  }
  return d;
}

void Plot::line(const std::vector<Point>& points, const std::string& colour) {
  shapes_ += empty_tag("path", {{"class", "line " + colour}, {"d", path(points)}});
}

void Plot::area(const std::vector<Point>& points, const std::string& colour) {
  std::vector<Point> seen;
  std::copy_if(points.begin(), points.end(), std::back_inserter(seen), finite);
  if (seen.empty()) return;
  const double floor = inner_height();
  const std::string d = pen_to('M', across(seen.front().x), floor) + "L" + path(seen).substr(1) +
                        pen_to('L', across(seen.back().x), floor) + "Z";
  shapes_ += empty_tag("path", {{"class", "area " + colour}, {"d", d}});
}

void Plot::bar(const Range& x, const Range& y, const std::string& colour) {
  const double left = across(x.low), right = across(x.high);
  const double upper = down(y.high), lower = down(y.low);
  if (!(right > left) || !(lower > upper)) return;
  shapes_ += empty_tag("rect", {{"class", "area " + colour},
                                {"x", place(left)},
                                {"y", place(upper)},
                                {"width", place(right - left)},
                                {"height", place(lower - upper)}});
}

void Plot::boxes(const std::vector<Box>& boxes, const std::string& colour) {
  std::string d;
  for (const Box& box : boxes) {
    const double left = across(box.x.low), upper = down(box.y.high);
    const double width = across(box.x.high) - left;
    d += fmt::format("M{} {}h{}v{}h{}z", place(left), place(upper), place(width),
                     place(down(box.y.low) - upper), place(-width));
  }
  if (!d.empty()) shapes_ += empty_tag("path", {{"class", "area " + colour}, {"d", d}});
}

void Plot::marks(const std::vector<Point>& points, Shape shape, const std::string& colour) {
  constexpr const char* forms[] = {"h0", "m-2.2 0a2.2 2.2 0 1 0 4.4 0a2.2 2.2 0 1 0-4.4 0",
                                   "m-2.5-2.5l5 5m0-5l-5 5"};
  constexpr const char* names[] = {"dot ", "ring ", "cross "};
  const auto which = static_cast<std::size_t>(shape);
  std::string d;
  for (const Point& point : points)
    if (finite(point)) d += pen_to('M', across(point.x), down(point.y)) + forms[which];
  if (!d.empty()) shapes_ += empty_tag("path", {{"class", names[which] + colour}, {"d", d}});
}

void Plot::rule_across(double y, const std::string& colour) {
  line({{frame_.x.low, y}, {frame_.x.high, y}}, "rule " + colour);
}

void Plot::rule_up(double x, const std::string& colour) {
  line({{x, frame_.y.low}, {x, frame_.y.high}}, "rule " + colour);
}

void Plot::diagonal(const std::string& colour) {
  const double low = std::max(frame_.x.low, frame_.y.low), high = std::min(frame_.x.high, frame_.y.high);
  if (low < high) line({{low, low}, {high, high}}, "rule " + colour);
}

void Plot::note(const Point& at, const std::string& words) {
  shapes_ += tag("text", {{"class", "note"}, {"x", place(across(at.x))}, {"y", place(down(at.y))}}, words);
}

void Plot::read_out(const Range& x, const std::string& words) {
  read_out(x, frame_.y, words);
}

void Plot::read_out(const Range& x, const Range& y, const std::string& words) {
  const double left = std::max(0.0, across(x.low)), right = std::min(inner_width(), across(x.high));
  const double upper = std::max(0.0, down(y.high)), lower = std::min(inner_height(), down(y.low));
  if (!(right > left) || !(lower > upper)) return;
  read_outs_ += empty_tag("rect", {{"class", "hit"},
                                   {"x", place(left)},
                                   {"y", place(upper)},
                                   {"width", place(right - left)},
                                   {"height", place(lower - upper)},
                                   {"data-tip", words}});
}

Markup Plot::x_numbers() const {
  Markup made;
  const double floor = top_ + inner_height();
  for (const double tick : ticks(frame_.x, frame_.x_axis, static_cast<int>(inner_width() / 62))) {
    const double x = left_ + across(tick);
    made += empty_tag("path", {{"class", "tick"}, {"d", pen_to('M', x, floor) + "v4"}});
    made += tag("text", {{"class", "x"}, {"x", place(x)}, {"y", place(floor + 15)}},
                tick_words(tick, frame_.x_axis));
  }
  if (!frame_.x_name.empty())
    made +=
        tag("text",
            {{"class", "x name"}, {"x", place(left_ + inner_width() / 2)}, {"y", place(frame_.height - 4)}},
            frame_.x_name);
  return made;
}

Markup Plot::y_numbers() const {
  Markup made;
  for (const double tick :
       ticks(frame_.y, frame_.y_axis, std::max(2, static_cast<int>(inner_height() / 40)))) {
    const double y = top_ + down(tick);
    made += empty_tag("path", {{"class", "gridline"}, {"d", level_line(left_, y, inner_width())}});
    made += tag("text", {{"class", "y"}, {"x", place(left_ - 6)}, {"y", place(y + 3.5)}},
                tick_words(tick, frame_.y_axis));
  }
  if (!frame_.y_name.empty())
    made +=
        tag("text",
            {{"class", "x name"},
             {"transform", fmt::format("translate(11 {}) rotate(-90)", place(top_ + inner_height() / 2))}},
            frame_.y_name);
  return made;
}

Markup Plot::axes() const {
  Markup made = y_numbers() + x_numbers();
  made +=
      empty_tag("path", {{"class", "floor"}, {"d", level_line(left_, top_ + inner_height(), inner_width())}});
  return tag("g", {{"class", "axes"}}, made);
}

Markup Plot::svg(const std::string& id, const std::string& words) const {
  const Markup inside = tag("svg",
                            {{"x", place(left_)},
                             {"y", place(top_)},
                             {"width", place(inner_width())},
                             {"height", place(inner_height())}},
                            shapes_ + read_outs_);
  const bool fixed = frame_.size == PlotFrame::Size::fixed;
  return tag("svg",
             {{"class", fixed                ? "plot fixed"
                        : frame_.width > 400 ? "plot wide"
                                             : "plot"},
              {"width", fixed ? place(frame_.width) : "100%"},
              {"id", id},
              {"role", "img"},
              {"tabindex", "0"},
              {"aria-label", words},
              {"viewBox", fmt::format("0 0 {} {}", place(frame_.width), place(frame_.height))}},
             axes() + inside);
}

}  // namespace hunch
