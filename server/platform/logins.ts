const loginForm = /^[A-Za-z0-9_.:@-]{1,64}$/

/** A name outside the form of logins is nobody's, and need not be one that the database can read. */
export const isLogin = (name: string): boolean => loginForm.test(name)
