import type { Kysely } from 'kysely'
import { countKept, lengthOf } from './count-kept.ts'

/** A text that is in an index too. */
const indexed = (column: string): string => `3 * octet_length(${column})`
/** Rows of the deployment have no company. */
const ofCompany = (bytes: string): string => `case when company_id is null then 0 else ${bytes} end`

/** What a row counts with its entries in indexes, by kind and table: the most that its fixed columns take, and its texts. */
const bytesOf = {
  directory: {
    departments: `512 + ${indexed('name')}`,
    department_managers: '384',
    chatrooms: `768 + ${indexed('name')}`,
    chatroom_members: '384',
    users: `1024 + ${indexed('login')} + octet_length(display_name) + ${lengthOf('email')}`,
    social_media_clients: `640 + ${indexed('client_id')} + octet_length(display_name)`,
    api_keys: `768 + ${indexed('name')} + ${lengthOf('allowed_chatroom_ids')} + ${lengthOf('domains')}`,
  },
  environments: {
    environments: ofCompany(
      `768 + octet_length(name) + octet_length(description) + ${lengthOf('egress_allow_list')}`,
    ),
    environment_versions: ofCompany(`1536 + octet_length(source_ref) + ${lengthOf('image_config')}`),
  },
  secrets: { secret_bindings: `1024 + ${indexed('slot_name')}` },
}

/**
 * Counts to the bytes that a company keeps what it adds by requests and is never removed: its directory, archived environments and
 * versions, revoked secrets, and builds with their stages.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const [kind, tables] of Object.entries(bytesOf))
    for (const [table, bytes] of Object.entries(tables))
      await countKept(db, { table, kind, bytes, isChanged: true })
  await countKept(db, { table: 'build_attempts', kind: 'builds', bytes: '4096', triggers: 'count_kept_row' })
}
