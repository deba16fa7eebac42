# hunch_room(NAME USES rooms... LINKS libraries...): the static library of src/hunch/NAME.
function(hunch_compile_flags target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Werror)
endfunction()

if(HUNCH_MARCH AND CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  add_compile_options(-march=${HUNCH_MARCH})
endif()

# hunch_shared_headers(TARGET FIRST headers...): what nearly every file reads, compiled once, for FIRST, and taken from
# there by all others.
function(hunch_shared_headers target first)
  if(target STREQUAL first)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  else()
    target_precompile_headers(${target} REUSE_FROM ${first})
  endif()
endfunction()

set(HUNCH_INCLUDES "$<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/src>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")

function(hunch_room name)
  cmake_parse_arguments(ROOM "" "" "USES;LINKS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/hunch/${name}/*.cpp)
  set(links Eigen3::Eigen ${ROOM_LINKS})
  foreach(used IN LISTS ROOM_USES)
    list(APPEND links hunch_${used})
  endforeach()
  if(sources)
    add_library(hunch_${name} STATIC ${sources})
    target_include_directories(hunch_${name} PUBLIC ${HUNCH_INCLUDES})
    target_link_libraries(hunch_${name} PUBLIC ${links})
    hunch_shared_headers(hunch_${name} hunch_core <Eigen/Dense> <vector> <string> <functional>)
    hunch_compile_flags(hunch_${name})
  else()
    add_library(hunch_${name} INTERFACE)
    target_include_directories(hunch_${name} INTERFACE ${HUNCH_INCLUDES})
    target_link_libraries(hunch_${name} INTERFACE ${links})
  endif()
endfunction()

file(GLOB HUNCH_CLI_SOURCES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/hunch/cli/*.cpp)
