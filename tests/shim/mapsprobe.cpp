// Prints its own /proc/self/maps and environment; a child when asked, to see what is inherited.
#include <cstdio>
#include <cstring>
#include <unistd.h>

extern char **environ;

int main(int argc, char **argv) {
  if (argc > 1 && !strcmp(argv[1], "again"))
    execl(argv[0], argv[0], nullptr);
  FILE *maps = fopen("/proc/self/maps", "r");
  char buffer[4096];
  while (size_t got = fread(buffer, 1, sizeof(buffer), maps))
    fwrite(buffer, 1, got, stdout);
  fclose(maps);
  for (char **entry = environ; *entry; ++entry)
    printf("%s\n", *entry);
  return 0;
}
