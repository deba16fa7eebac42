#include "hunch/study/canvas.hpp"

#include <cairo-svg.h>

#include <array>
#include <numbers>
#include <stdexcept>

#include "hunch/core/types.hpp"

namespace hunch {

namespace {

using Surface = std::unique_ptr<cairo_surface_t, void (*)(cairo_surface_t*)>;

void check(cairo_status_t status) {
  if (status != CAIRO_STATUS_SUCCESS)
    throw std::runtime_error(std::string("the figure cannot be drawn: ") + cairo_status_to_string(status));
}

// Called from C: no exception may leave it.
cairo_status_t append(void* bytes, const unsigned char* data, unsigned int length) noexcept {
  try {
    static_cast<std::string*>(bytes)->append(reinterpret_cast<const char*>(data), length);
    return CAIRO_STATUS_SUCCESS;
  } catch (...) {
    return CAIRO_STATUS_NO_MEMORY;
  }
}

void colour_with(cairo_t* context, const Colour& colour) {
  cairo_set_source_rgba(context, colour.red, colour.green, colour.blue, colour.opacity);
}

void trace(cairo_t* context, const std::vector<Spot>& spots) {
  cairo_new_path(context);
  for (const Spot& spot : spots) cairo_line_to(context, spot.x, spot.y);
}

void stroke_with(cairo_t* context, const Stroke& stroke) {
  colour_with(context, stroke.colour);
  cairo_set_line_width(context, stroke.width);
  cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND);
  const bool dotted = stroke.dash == Dash::dotted;
  cairo_set_line_cap(context, stroke.dash == Dash::solid ? CAIRO_LINE_CAP_ROUND : CAIRO_LINE_CAP_BUTT);
  const std::array<double, 2> pattern = dotted ? std::array{1.5, 2.5} : std::array{5.0, 3.5};
  cairo_set_dash(context, pattern.data(), stroke.dash == Dash::solid ? 0 : 2, 0);
  cairo_stroke(context);
}

void choose_font(cairo_t* context, const Lettering& lettering) {
  cairo_select_font_face(
      context, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
      lettering.weight == Weight::bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(context, lettering.size);
}

void paint_white(cairo_t* context) {
  cairo_set_source_rgb(context, 1, 1, 1);
  cairo_paint(context);
}

}  // namespace

Canvas::Canvas(cairo_t* context) : context_(context, cairo_destroy) {}

void Canvas::line(const std::vector<Spot>& spots, const Stroke& stroke) {
  trace(context_.get(), spots);
  stroke_with(context_.get(), stroke);
}

void Canvas::area(const std::vector<Spot>& outline, const Colour& colour) {
  trace(context_.get(), outline);
  cairo_close_path(context_.get());
  colour_with(context_.get(), colour);
  cairo_fill(context_.get());
}

void Canvas::disc(const Spot& centre, double radius, const Colour& fill, const Stroke& rim) {
  cairo_new_path(context_.get());
  cairo_arc(context_.get(), centre.x, centre.y, radius, 0, 2 * std::numbers::pi);
  colour_with(context_.get(), fill);
  cairo_fill_preserve(context_.get());
  stroke_with(context_.get(), rim);
}

double Canvas::width_of(const std::string& words, const Lettering& lettering) {
  choose_font(context_.get(), lettering);
  cairo_text_extents_t extents;
  cairo_text_extents(context_.get(), words.c_str(), &extents);
  return extents.x_advance;
}

void Canvas::text(const Spot& at, const std::string& words, const Lettering& lettering) {
  const double width = width_of(words, lettering);
  const double share = lettering.align == Align::left ? 0 : lettering.align == Align::centre ? 0.5 : 1;
  cairo_save(context_.get());
  cairo_translate(context_.get(), at.x, at.y);
  if (lettering.turn == Turn::upwards) cairo_rotate(context_.get(), -std::numbers::pi / 2);
  cairo_move_to(context_.get(), -share * width, 0);
  colour_with(context_.get(), lettering.colour);
  cairo_show_text(context_.get(), words.c_str());
  cairo_restore(context_.get());
}

void Canvas::within(const Box& box, const std::function<void()>& draw) {
  cairo_save(context_.get());
  cairo_rectangle(context_.get(), box.left, box.top, box.width, box.height);
  cairo_clip(context_.get());
  draw();
  cairo_restore(context_.get());
}

std::string svg_bytes(const Page& page, const std::function<void(Canvas&)>& draw) {
  std::string bytes;
  const Surface surface(cairo_svg_surface_create_for_stream(append, &bytes, page.width, page.height),
                        cairo_surface_destroy);
  {
    Canvas canvas(cairo_create(surface.get()));
    paint_white(canvas.context_.get());
    draw(canvas);
    check(cairo_status(canvas.context_.get()));
  }
  cairo_surface_finish(surface.get());
  check(cairo_surface_status(surface.get()));
  return bytes;
}

std::string png_bytes(const Page& page, const std::function<void(Canvas&)>& draw) {
  const Surface surface(
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, page.width * page.scale, page.height * page.scale),
      cairo_surface_destroy);
  {
    Canvas canvas(cairo_create(surface.get()));
    cairo_scale(canvas.context_.get(), page.scale, page.scale);
    paint_white(canvas.context_.get());
    draw(canvas);
    check(cairo_status(canvas.context_.get()));
  }
  std::string bytes;
  check(cairo_surface_write_to_png_stream(surface.get(), append, &bytes));
  return bytes;
}

}  // namespace hunch
