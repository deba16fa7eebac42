// Markup: HTML under construction, as a type of its own: text becomes markup only by being escaped.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace hunch {

// Text written in this program's source, known when it is compiled: never from data.
class Literal {
 public:
  consteval Literal(const char* text) : text_(text) {}
  constexpr std::string_view view() const { return text_; }

 private:
  std::string_view text_;
};

struct Attribute {
  Literal name;
  std::string value;  // escaped when it is written
};

// The one place where text is made fit for HTML, inside elements and attributes alike. Characters that are
// markup become references; control characters and bytes that are not UTF-8 become U+FFFD.
std::string escaped(std::string_view text);

class Markup {
 public:
  Markup() = default;

  static Markup text(std::string_view words);
  static Markup fixed(Literal html);  // as it is

  Markup& operator+=(const Markup& more);
  friend Markup operator+(Markup first, const Markup& second) { return first += second; }

  bool empty() const { return html_.empty(); }
  const std::string& html() const { return html_; }

 private:
  friend Markup tag(Literal, std::initializer_list<Attribute>, const Markup&);
  friend Markup empty_tag(Literal, std::initializer_list<Attribute>);
  std::string html_;
};

Markup tag(Literal name, std::initializer_list<Attribute> attributes, const Markup& content);
Markup tag(Literal name, const Markup& content);
Markup tag(Literal name, std::string_view words);  // as text
Markup tag(Literal name, std::initializer_list<Attribute> attributes, std::string_view words);
Markup empty_tag(Literal name, std::initializer_list<Attribute> attributes);  // <rect .../>

// A name or a message from data: isolated, so that its writing direction stays its own.
Markup named(std::string_view words);

}  // namespace hunch
