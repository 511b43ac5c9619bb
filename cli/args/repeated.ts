/** Collects the values of an option that may be given several times. */
export const repeated = (value: string, earlier: readonly string[] = []): string[] => [...earlier, value]
