import { Store } from '../store.ts'

/** Set when the service no longer knows the person while a page is open: the page then asks to sign in again. */
export const signInNeeded = new Store(false)
