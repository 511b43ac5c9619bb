/*
 * Takes the place of libsystemd where crun is loaded. crun asks systemd for control groups, which the shim makes here, so it calls
 * none of these functions. The real library would bring five others (compression, cryptography): to load and to fork with them
 * is a tenth of the processor time of a sandbox, and they are code in a process of root.
 *
 * The functions are those that crun 1.8 and 1.21 name. The agent does without this library if crun cannot be loaded with it.
 */
#include <errno.h>

#define MISSING(name) \
  int name(void);     \
  int name(void) { return -ENOSYS; }

MISSING(sd_bus_call)
MISSING(sd_bus_default_system)
MISSING(sd_bus_default_user)
MISSING(sd_bus_error_free)
MISSING(sd_bus_error_get_errno)
MISSING(sd_bus_match_signal_async)
MISSING(sd_bus_message_append)
MISSING(sd_bus_message_append_array)
MISSING(sd_bus_message_append_basic)
MISSING(sd_bus_message_append_strv)
MISSING(sd_bus_message_close_container)
MISSING(sd_bus_message_new_method_call)
MISSING(sd_bus_message_open_container)
MISSING(sd_bus_message_read)
MISSING(sd_bus_message_unref)
MISSING(sd_bus_process)
MISSING(sd_bus_unref)
MISSING(sd_bus_wait)
MISSING(sd_journal_send_with_location)
MISSING(sd_notify)
MISSING(sd_notify_barrier)
