const deep = (levels: number): unknown => {
  let value: unknown = 0
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { a: value }
  return value
}

/** Values that have broken parsers, columns, comparisons or loggers elsewhere. */
export const hostileValues: readonly unknown[] = [
  null,
  true,
  0,
  -0,
  -1,
  1.5,
  1e308,
  5e-324,
  2 ** 31,
  2 ** 32,
  2 ** 53,
  Number.MAX_SAFE_INTEGER,
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  '\udfff\ud800',
  '\u202etxt.exe',
  '\ufeff',
  'é'.normalize('NFD'),
  '😀'.repeat(300),
  'x'.repeat(70_000),
  "'; drop table runs; --",
  '%s%n%d',
  '../../etc/passwd',
  '$(id)',
  '{{7*7}}',
  '<script>',
  '__proto__',
  'constructor',
  '(a+)+$',
  'NaN',
  '1e999',
  '0x10',
  '2026-11-21T00:00:00Z',
  '9999999-01-01T00:00:00Z',
  'infinity',
  'sha256:'.padEnd(71, 'a'),
  [],
  {},
  [null],
  { __proto__: null, a: 1 },
  { constructor: { prototype: {} } },
  deep(10),
  deep(70),
  deep(500),
  Array.from({ length: 2000 }, (_, at) => at),
]

/** Field names that JavaScript objects already have, and other odd names. */
export const hostileNames = [
  '__proto__',
  'constructor',
  'toString',
  '',
  '\0',
  'a'.repeat(1000),
  'id',
] as const
