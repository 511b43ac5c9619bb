/** A name or an id, and perhaps a group after a colon: nothing a shell would read otherwise. */
export const userPattern = /^([a-z0-9_][a-z0-9_.-]{0,63}(:[a-z0-9_][a-z0-9_.-]{0,63})?)?$/i
