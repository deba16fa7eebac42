// Canvas: lines, areas and words on a page, as the bytes of an SVG or PNG file.
#pragma once

#include <cairo.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace hunch {

// Lengths are in pixels of an unscaled page; y grows downwards.
struct Spot {
  double x, y;
};
struct Box {
  double left, top, width, height;

  double right() const { return left + width; }
  double bottom() const { return top + height; }
};
struct Colour {
  double red, green, blue;
  double opacity = 1;
};
enum class Dash { solid, dashed, dotted };
struct Stroke {
  Colour colour;
  double width;
  Dash dash = Dash::solid;
};
enum class Weight { normal, bold };
enum class Align { left, centre, right };
enum class Turn { level, upwards };
struct Lettering {
  double size;
  Colour colour;
  Weight weight = Weight::normal;
  Align align = Align::left;
  Turn turn = Turn::level;
};

struct Page {
  int width, height;
  int scale = 1;  // PNG pixels per unit, >= 1; an SVG has no pixels
};

class Canvas {
 public:
  void line(const std::vector<Spot>& spots, const Stroke& stroke);
  void area(const std::vector<Spot>& outline, const Colour& colour);
  void disc(const Spot& centre, double radius, const Colour& fill, const Stroke& rim);
  // UTF-8; `at` is on the baseline, at the end or middle that Lettering::align says.
  void text(const Spot& at, const std::string& words, const Lettering& lettering);
  double width_of(const std::string& words, const Lettering& lettering);
  // Whatever `draw` draws outside the box is cut off.
  void within(const Box& box, const std::function<void()>& draw);

 private:
  friend std::string svg_bytes(const Page&, const std::function<void(Canvas&)>&);
  friend std::string png_bytes(const Page&, const std::function<void(Canvas&)>&);
  explicit Canvas(cairo_t* context);

  std::unique_ptr<cairo_t, void (*)(cairo_t*)> context_;
};

// White pages. Both throw std::runtime_error if the drawing cannot be made (out of memory).
std::string svg_bytes(const Page& page, const std::function<void(Canvas&)>& draw);
std::string png_bytes(const Page& page, const std::function<void(Canvas&)>& draw);

}  // namespace hunch
