#include "hunch/run/digest.hpp"

#include <openssl/evp.h>

#include <array>

#include "hunch/run/text_file.hpp"

namespace hunch {

std::string sha256(std::string_view bytes) {
  std::array<unsigned char, 32> digest{};
  EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, EVP_sha256(), nullptr);
  std::string text;
  for (const unsigned char byte : digest) {
    constexpr char digits[] = "0123456789abcdef";
    text += digits[byte >> 4U];
    text += digits[byte & 15U];
  }
  return text;
}

std::string sha256_of_file(const std::filesystem::path& file) {
  return sha256(text_of(file, "it belongs to the model"));
}

std::string sha256_of_draws(const Draws& draws) {
  std::string bytes;
  for (Index c = 0; c < draws.chains(); ++c) {
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const RowMajor rows = draws.chain(c);
    bytes.append(reinterpret_cast<const char*>(rows.data()),
                 sizeof(double) * static_cast<std::size_t>(rows.size()));
  }
  return sha256(bytes);
}

}  // namespace hunch
