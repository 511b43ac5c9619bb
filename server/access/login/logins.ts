import { loginPattern } from '@sandbox-jobs/contract/limits.ts'

const loginForm = new RegExp(loginPattern)

/** A name that is not in the form of a login belongs to no user. The database may not be able to store it. */
export const isLogin = (name: string): boolean => loginForm.test(name)
