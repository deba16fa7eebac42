// Plot: one small picture with axes, as SVG: shapes in, coordinates of the data, classes that the page's
// style colours.
#pragma once

#include <string>
#include <vector>

#include "hunch/report/markup.hpp"
#include "hunch/report/number_words.hpp"

namespace hunch {

struct Point {
  double x, y;
};

enum class Axis {
  numbers,
  powers,  // the coordinate is a decimal logarithm; the axis shows what it is the logarithm of
  bare,    // no numbers
};

struct PlotFrame {
  Range x, y;  // of positive width
  std::string x_name = {}, y_name = {};
  Axis x_axis = Axis::numbers, y_axis = Axis::numbers;
  double width = 320, height = 190;
  enum class Size { flexible, fixed } size = Size::flexible;  // fixed: so many pixels on every screen
};

enum class Shape { dot, ring, cross };

class Plot {
 public:
  explicit Plot(PlotFrame frame);

  // What is not finite is left out; what is outside the frame is cut off.
  void line(const std::vector<Point>& points, const std::string& colour);
  void area(const std::vector<Point>& points, const std::string& colour);  // down to the frame's bottom
  void bar(const Range& x, const Range& y, const std::string& colour);
  struct Box {
    Range x, y;
  };
  void boxes(const std::vector<Box>& boxes, const std::string& colour);
  void marks(const std::vector<Point>& points, Shape shape, const std::string& colour);
  void rule_across(double y, const std::string& colour);
  void rule_up(double x, const std::string& colour);
  void diagonal(const std::string& colour);  // y = x
  void note(const Point& at, const std::string& words);

  // Where a pointer or the arrow keys read out `words`: a stretch of x, or a box.
  void read_out(const Range& x, const std::string& words);
  void read_out(const Range& x, const Range& y, const std::string& words);

  // `id` is unique in the page; `words` say what the picture shows, for those who do not see it.
  Markup svg(const std::string& id, const std::string& words) const;

 private:
  double across(double x) const;
  double down(double y) const;
  double inner_width() const { return frame_.width - left_ - right_; }
  double inner_height() const { return frame_.height - top_ - bottom_; }
  Markup axes() const;
  Markup x_numbers() const;
  Markup y_numbers() const;
  std::string path(const std::vector<Point>& points) const;

  PlotFrame frame_;
  double left_, right_, top_, bottom_;
  Markup shapes_;
  Markup read_outs_;
};

// Never of zero width: a constant gets some room around it.
Range with_room(Range range, double share);

}  // namespace hunch
