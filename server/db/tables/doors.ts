import type { DoorKind } from '@sandbox-jobs/contract/resources/doors/door-kind.ts'
import type { Generated } from 'kysely'

export interface DoorsTable {
  id: string
  company_id: string
  chatroom_id: string
  owner_user_id: string
  name: string
  kind: DoorKind
  network: boolean
  timeout_seconds: number
  key_hash: Buffer
  pepper: number
  created_at: Generated<Date>
  last_used_at: Date | null
}

export interface DoorRuntimesTable {
  door_id: string
  company_id: string
  place: number
  language: string
  version: string
  aliases: string[]
  environment_version_id: string
  run_command: string
  compile_command: string | null
}
