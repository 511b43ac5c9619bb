/**
 * Files up to this size are read on the agent's own thread: they are usually still in the page cache, and a switch to another thread
 * takes longer.
 */
export const smallBytes = 64 * 1024
