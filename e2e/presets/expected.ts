/** Examples of environments that install packages, by language, and the output of a run with their example input. */
export const packageExamples: Record<string, { example: string; output: unknown } | undefined> = {
  python: {
    example: 'python-packages',
    output: {
      table: '| product   |   sold |\n|-----------|--------|\n| Tea       |     12 |\n| Coffee    |     30 |',
    },
  },
  node: {
    example: 'node-packages',
    output: { value: { name: 'report', rooms: ['sales', 'support'] } },
  },
  java: { example: 'java-packages', output: { sums: { sold: 42, price: 5.5 } } },
}
