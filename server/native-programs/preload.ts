/** True if ld.so takes the path as one library: it cuts LD_PRELOAD at spaces and colons, and replaces names after a `$`. */
export const isPreloadable = (path: string): boolean => !/[\s:$]/.test(path)
