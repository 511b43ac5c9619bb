/*
 * The steps of a start on the launcher, in their order. A launcher that fails at a step exits with the number of the step, and the
 * shim records its slug as the detail of the failed start.
 */
#ifndef SANDBOX_LAUNCHER_STEPS_H
#define SANDBOX_LAUNCHER_STEPS_H

#define LAUNCHER_STEPS(STEP)                                                                                                       \
  STEP(DESCRIPTION, "launch_description")                                                                                          \
  STEP(NAMESPACES, "launch_namespaces")                                                                                            \
  STEP(IDS, "launch_ids")                                                                                                          \
  STEP(KEYRING, "launch_keyring")                                                                                                  \
  STEP(NETWORK, "launch_network")                                                                                                  \
  STEP(HOSTNAME, "launch_hostname")                                                                                                \
  STEP(ROOT, "launch_root")                                                                                                        \
  STEP(MOUNT, "launch_mount")                                                                                                      \
  STEP(DEVICE, "launch_device")                                                                                                    \
  STEP(SETTING, "launch_setting")                                                                                                  \
  STEP(READ_ONLY, "launch_read_only")                                                                                              \
  STEP(MASK, "launch_mask")                                                                                                        \
  STEP(PIVOT, "launch_pivot")                                                                                                      \
  STEP(LIMIT, "launch_limit")                                                                                                      \
  STEP(DESCRIPTORS, "launch_descriptors")                                                                                          \
  STEP(USER, "launch_user")                                                                                                        \
  STEP(CAPABILITIES, "launch_capabilities")                                                                                        \
  STEP(PRIVILEGES, "launch_privileges")                                                                                            \
  STEP(FILTER, "launch_filter")                                                                                                    \
  STEP(EXECUTE, "launch_execute")

#define LAUNCHER_NUMBER(name, slug) LAUNCH_##name,
enum launcher_step { LAUNCH_BEFORE_FIRST = 199, LAUNCHER_STEPS(LAUNCHER_NUMBER) LAUNCH_AFTER_LAST };
#undef LAUNCHER_NUMBER

/* The slug of a step; NULL for every other number. */
static inline const char *launcher_slug(int step) {
#define LAUNCHER_SLUG(name, slug) slug,
  static const char *const slugs[] = { LAUNCHER_STEPS(LAUNCHER_SLUG) };
#undef LAUNCHER_SLUG
  return step > LAUNCH_BEFORE_FIRST && step < LAUNCH_AFTER_LAST ? slugs[step - LAUNCH_BEFORE_FIRST - 1] : 0;
}

#endif
