/**
 * The loops over a tenant's data whose longest input a test of this folder sends, and which one. The names are those of the table in
 * `docs/security.md`, with which `loops.test.ts` compares them.
 */
export const loops = {
  'glob of a terminal': 'sessions.test.ts',
  'search by content': 'steps.test.ts',
  replacements: 'sessions.test.ts',
  'lines of a file': 'sessions.test.ts',
  'trees of sessions': 'sessions.test.ts',
  'lists, moves and deletions': 'sessions.test.ts',
  zips: 'sessions.test.ts',
  'digests and archive for a run (worker)': 'steps.test.ts',
  'JSON bodies': 'requests.test.ts',
  'multipart bodies': 'sessions.test.ts',
  'pages of rows': 'requests.test.ts',
  'exports of rows': 'requests.test.ts',
  'input templates of triggers (worker)': 'steps.test.ts',
  'next ticks of schedules': 'steps.test.ts',
  'shared pages': 'steps.test.ts',
  'lists of granted jobs and menus': 'steps.test.ts',
  'programs of doors': 'steps.test.ts',
  'masked names (agent)': 'steps.test.ts',
} as const

export type Loop = keyof typeof loops
