/* HOME, USER and LOGNAME of the program. */
#ifndef SANDBOX_ACCOUNT_H
#define SANDBOX_ACCOUNT_H

/* Sets them from the image's /etc/passwd, as a container engine does, unless the specification has a HOME. */
void account_export(void);

#endif
