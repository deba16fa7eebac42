// StoreFile: what a store looks like on disk: made whole or not at all, and checked before it is believed.
#pragma once

#include <filesystem>

#include "hunch/evaluation/database.hpp"
#include "hunch/evaluation/store.hpp"

namespace hunch {

// What these refuse is said of "it": the caller adds the file's name.

// A store appears under its name complete with its identity, or not at all, whenever the process is killed.
void make_store_file(const std::filesystem::path& file, const Identity& identity);

// Refuses what is plainly not a store before SQLite touches it (it would take an empty file for a new one).
void refuse_impostor(const std::filesystem::path& file);

// Sound by SQLite's own check, with our schema, letter by letter.
void check_store_file(Database& database);

// StoreRefused, with its number, at the first row that is not what was written.
StoreContents contents_of(Database& database);

}  // namespace hunch
