#include "hunch/model/http_url.hpp"

#include <gtest/gtest.h>

#include "hunch/core/types.hpp"

namespace hunch {
namespace {

TEST(HttpUrl, PartsAreFound) {
  const HttpUrl plain = parse_http_url("http://example.org");
  EXPECT_EQ(plain.host + " " + plain.port + " " + plain.prefix, "example.org 80 ");
  const HttpUrl full = parse_http_url("http://[::1]:4242/models/one//");
  EXPECT_EQ(full.host + " " + full.port + " " + full.prefix, "::1 4242 /models/one");
  EXPECT_EQ(full.text, "http://[::1]:4242/models/one//");
}

TEST(HttpUrl, WhatCouldChangeTheRequestIsRefused) {
  for (const char* text : {"",
                           "localhost:4242",
                           "https://localhost",
                           "ftp://x",
                           "http://",
                           "http://:80",
                           "http:///x",
                           "http://a:0",
                           "http://a:65536",
                           "http://a:99999999999",
                           "http://a:-1",
                           "http://a:4x",
                           "http://a:",
                           "http://::1",
                           "http://[::1",
                           "http://[::1]x",
                           "http://user@host",
                           "http://a/?q",
                           "http://a/#f",
                           "http://a b",
                           "http://a/x\r\nEvil: 1",
                           "http://a/\x7f",
                           "http://\xc3\xa9",
                           "http://a\"b",
                           "http://a\\b"})
    EXPECT_THROW(parse_http_url(text), InputError) << text;
}

}  // namespace
}  // namespace hunch
