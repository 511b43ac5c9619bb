import { type Expectation, exampleKey } from './expectation.ts'

export const tables: Record<string, Expectation> = {
  listTables: {},
  createTable: {
    body: ({ ids }) => ({
      name: 'New',
      fields: [{ name: 'a', type: 'text' }],
      owner_scope: 'department',
      owner_id: ids.department,
    }),
  },
  readTable: {},
  updateTable: { body: () => ({ name: 'Renamed' }) },
  addTableFields: { body: () => ({ fields: [{ name: 'more', type: 'json' }] }) },
  archiveTable: {},
  listRows: { query: { sort: '-key' } },
  exportRows: { query: { format: 'csv' } },
  createRow: {
    body: ({ ids }) => ({ values: { key: '2' }, chatroom_id: ids.room }),
    headers: exampleKey,
  },
  readRow: {},
  updateRow: { body: () => ({ values: { key: '3' } }) },
  deleteRow: {},
  listRoomRows: {},
  listTableCommands: {},
  createTableCommand: {
    body: ({ companyId }) => ({
      name: 'New',
      inputs: [{ name: 'key', type: 'text' }],
      granted_scope: 'company',
      granted_id: companyId,
    }),
  },
  readTableCommand: {},
  updateTableCommand: { body: () => ({ name: 'Renamed' }) },
  archiveTableCommand: {},
  listTableTriggers: {},
  createTableTrigger: {
    body: ({ ids }) => ({
      name: 'New',
      events: ['create'],
      chatroom_id: ids.room,
      task_version_id: ids.newerTaskVersion,
    }),
  },
  readTableTrigger: {},
  updateTableTrigger: { body: () => ({ name: 'Renamed' }) },
  archiveTableTrigger: {},
  listTriggerEvents: { query: { status: 'waiting' } },
  listRoomCommands: {},
  /* The name is of no credential: `output_run_unavailable` with 404, whoever calls. */
  writeBack: {
    use: { token_id: 'callbackToken' },
    body: () => ({ op: 'create', values: {} }),
    allowed: 404,
    otherToken: 422,
  },
  sendCommandOutput: {
    use: { token_id: 'callbackToken' },
    body: () => ({ inputs: {} }),
    allowed: 404,
    otherToken: 422,
  },
  executeCommand: { body: () => ({ inputs: { key: '4' } }), headers: exampleKey },
}
