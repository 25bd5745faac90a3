# Writes C that holds the texts of files: cmake -DOUT=x.c -DTABLE=name -DFILES="a;b" -P embed.cmake
# gives `const pdp_embedded_text name[]` of {file name without folder and extension, text}, ended by {NULL, NULL}.
set(body "#include \"core/embedded.h\"\n")
set(entries "")
foreach(file ${FILES})
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(APPEND body "static const char text_${name}[] = {${bytes}0};\n")
  string(APPEND entries "    {\"${name}\", text_${name}},\n")
endforeach()
file(WRITE ${OUT} "${body}const pdp_embedded_text ${TABLE}[] = {\n${entries}    {NULL, NULL},\n};\n")
