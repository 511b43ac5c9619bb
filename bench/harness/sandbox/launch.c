/* Starts a sandbox from the description in the present folder, as the child of a shim does. */
#include "launcher/start.h"

int main(void) {
  static volatile pid_t first;
  launcher_start(&first);
}
