# cmake -DFROM=FILE -DTO=FILE.c -P bytes.cmake: the bytes of a file as td_gpu_image[].
file(READ ${FROM} bytes HEX)
string(LENGTH "${bytes}" digits)
math(EXPR n "${digits} / 2")
string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "((0x..,){16})" "\\1\n\t" bytes "${bytes}")
file(WRITE ${TO} "/* Made by cmake/bytes.cmake. */
#include \"run/gpu/preload.h\"

const unsigned char td_gpu_image[] __attribute__((aligned(16))) = {
\t${bytes}
};
const size_t td_gpu_image_bytes = ${n};
")
