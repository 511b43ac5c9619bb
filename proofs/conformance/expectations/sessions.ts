import type { Expectation } from './expectation.ts'

export const sessions: Record<string, Expectation> = {
  createSession: { body: () => ({ name: 'Analysis' }) },
  listSessions: {},
  readSession: {},
  deleteSession: {},
  listRoomSessions: {},
  deleteRoomSession: {},
  listSessionFiles: {},
  deleteSessionFile: { query: { path: 'data/a.csv' } },
  readSessionFile: { query: { path: 'data/a.csv' } },
  writeSessionFile: { query: { path: 'data/b.csv' }, bytes: Buffer.from('a,b') },
  createSessionFolder: { body: () => ({ path: 'more' }) },
  moveSessionFile: { body: () => ({ from: 'data/a.csv', to: 'c.csv' }) },
  downloadSession: {},
  quickRunInSession: {
    body: ({ ids }) => ({
      name: 'quick',
      environment_version_id: ids.readyVersion,
      work_script: 'true',
      input: {},
      timeout_seconds: 60,
    }),
    headers: { 'idempotency-key': 'once' },
  },
}
