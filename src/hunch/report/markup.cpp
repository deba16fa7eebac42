#include "hunch/report/markup.hpp"

#include <cstddef>

namespace hunch {

namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

// How many bytes the UTF-8 sequence at the front has; 0 if there is none.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first < 0xE0) return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first < 0xF0) {
    if (!follows(1) || !follows(2)) return 0;
    const bool overlong = first == 0xE0 && byte(1) < 0xA0;
    const bool surrogate = first == 0xED && byte(1) >= 0xA0;
    return overlong || surrogate ? 0 : 3;
  }
  if (first >= 0xF0 && first < 0xF5) {
    if (!follows(1) || !follows(2) || !follows(3)) return 0;
    const bool overlong = first == 0xF0 && byte(1) < 0x90;
    const bool too_high = first == 0xF4 && byte(1) >= 0x90;
    return overlong || too_high ? 0 : 4;
  }
  return 0;
}

std::string_view reference_for(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    case '`':
      return "&#96;";
    default:
      return {};
  }
}

bool is_control(unsigned char c) {
  return (c < 0x20 && c != '\n' && c != '\t') || c == 0x7F;
}

void write_attributes(std::string& html, std::initializer_list<Attribute> attributes) {
  for (const Attribute& one : attributes) {
    html += ' ';
    html += one.name.view();
    html += "=\"";
    html += escaped(one.value);
    html += '"';
  }
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string html;
  html.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    const bool c1 = length == 2 && static_cast<unsigned char>(text[0]) == 0xC2 &&
                    static_cast<unsigned char>(text[1]) < 0xA0;
    if (length == 0 || c1 || (length == 1 && is_control(static_cast<unsigned char>(text[0]))))
      html += replacement;
    else if (const std::string_view reference = reference_for(text[0]); !reference.empty())
      html += reference;
    else
      html += text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return html;
}

Markup Markup::text(std::string_view words) {
  Markup made;
  made.html_ = escaped(words);
  return made;
}

Markup Markup::fixed(Literal html) {
  Markup made;
  made.html_ = html.view();
  return made;
}

Markup& Markup::operator+=(const Markup& more) {
  html_ += more.html_;
  return *this;
}

Markup tag(Literal name, std::initializer_list<Attribute> attributes, const Markup& content) {
  Markup made;
  made.html_ = '<';
  made.html_ += name.view();
  write_attributes(made.html_, attributes);
  made.html_ += '>';
  made.html_ += content.html_;
  made.html_ += "</";
  made.html_ += name.view();
  made.html_ += '>';
  return made;
}

Markup tag(Literal name, const Markup& content) {
  return tag(name, {}, content);
}

Markup tag(Literal name, std::string_view words) {
  return tag(name, {}, Markup::text(words));
}

Markup tag(Literal name, std::initializer_list<Attribute> attributes, std::string_view words) {
  return tag(name, attributes, Markup::text(words));
}

Markup empty_tag(Literal name, std::initializer_list<Attribute> attributes) {
  Markup made;
  made.html_ = '<';
  made.html_ += name.view();
  write_attributes(made.html_, attributes);
  made.html_ += "/>";
  return made;
}

Markup named(std::string_view words) {
  return tag("bdi", words);
}

}  // namespace hunch
