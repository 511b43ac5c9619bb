import type * as agents from './tables/agents.ts'
import type * as audit from './tables/audit.ts'
import type * as billing from './tables/billing.ts'
import type * as customTables from './tables/custom-tables.ts'
import type * as doors from './tables/doors.ts'
import type * as environments from './tables/environments.ts'
import type * as findings from './tables/findings.ts'
import type * as mail from './tables/mail.ts'
import type * as notifications from './tables/notifications.ts'
import type * as platform from './tables/platform.ts'
import type * as runFiles from './tables/run-files.ts'
import type * as runs from './tables/runs.ts'
import type * as schedules from './tables/schedules.ts'
import type * as scripts from './tables/scripts.ts'
import type * as secrets from './tables/secrets.ts'
import type * as sessions from './tables/sessions.ts'
import type * as settings from './tables/settings.ts'
import type * as tasks from './tables/tasks.ts'

/** Every table by its name, as the migrations make them. */
export interface Tables {
  companies: platform.CompaniesTable
  departments: platform.DepartmentsTable
  chatrooms: platform.ChatroomsTable
  users: platform.UsersTable
  department_managers: platform.DepartmentManagersTable
  chatroom_members: platform.ChatroomMembersTable
  favorite_chatrooms: platform.FavoriteChatroomsTable
  api_keys: platform.ApiKeysTable
  login_attempts: platform.LoginAttemptsTable
  login_addresses: platform.LoginAddressesTable
  sign_ins: platform.SignInsTable
  console_preferences: platform.ConsolePreferencesTable
  state_events: platform.StateEventsTable
  environments: environments.EnvironmentsTable
  upload_sessions: environments.UploadSessionsTable
  owned_objects: environments.OwnedObjectsTable
  environment_versions: environments.EnvironmentVersionsTable
  build_attempts: environments.BuildAttemptsTable
  build_stages: environments.BuildStagesTable
  blocked_digests: environments.BlockedDigestsTable
  composed_images: environments.ComposedImagesTable
  build_cache: environments.BuildCacheTable
  context_facts: environments.ContextFactsTable
  pulled_images: environments.PulledImagesTable
  base_images: environments.BaseImagesTable
  host_image_removals: environments.HostImageRemovalsTable
  build_prefixes: environments.BuildPrefixesTable
  built_prefixes: environments.BuiltPrefixesTable
  build_fence: environments.BuildFenceTable
  build_memory_turn: environments.BuildMemoryTurnTable
  security_findings: findings.SecurityFindingsTable
  security_exceptions: findings.SecurityExceptionsTable
  vulnerability_imports: findings.VulnerabilityImportsTable
  vulnerabilities: findings.VulnerabilitiesTable
  runner_releases: environments.RunnerReleasesTable
  tasks: tasks.TasksTable
  task_versions: tasks.TaskVersionsTable
  share_grants: tasks.ShareGrantsTable
  bindings: tasks.BindingsTable
  script_uploads: scripts.ScriptUploadsTable
  task_bundles: scripts.TaskBundlesTable
  staging_leases: scripts.StagingLeasesTable
  secret_bindings: secrets.SecretBindingsTable
  secret_values: secrets.SecretValuesTable
  secret_envelopes: secrets.SecretEnvelopesTable
  secret_operations: secrets.SecretOperationsTable
  secret_approvals: secrets.SecretApprovalsTable
  run_secret_pins: secrets.RunSecretPinsTable
  runs: runs.RunsTable
  queue_turns: runs.QueueTurnsTable
  run_counts: runs.RunCountsTable
  run_count_changes: runs.RunCountChangesTable
  live_run_counts: runs.LiveRunCountsTable
  live_run_changes: runs.LiveRunChangesTable
  run_inputs: runs.RunInputsTable
  run_contents: runs.RunContentsTable
  run_refusals: runs.RunRefusalsTable
  run_artifacts: runs.RunArtifactsTable
  input_files: runFiles.InputFilesTable
  run_files: runFiles.RunFilesTable
  run_metadata: runFiles.RunMetadataTable
  sessions: sessions.SessionsTable
  session_trees: sessions.SessionTreesTable
  session_packs: sessions.SessionPacksTable
  session_tree_packs: sessions.SessionTreePacksTable
  session_folders: sessions.SessionFoldersTable
  idempotency_keys: runs.IdempotencyKeysTable
  live_logs: runs.LiveLogsTable
  state_watches: runs.StateWatchesTable
  signed_links: runs.SignedLinksTable
  public_links: runs.PublicLinksTable
  company_settings: settings.CompanySettingsTable
  kept_bytes: settings.KeptBytesTable
  kept_byte_changes: settings.KeptBytesTable
  storage_bounds: settings.StorageBoundsTable
  storage_reservations: settings.StorageReservationsTable
  social_media_clients: agents.SocialMediaClientsTable
  gateway_keys: agents.GatewayKeysTable
  room_sequences: agents.RoomSequencesTable
  room_messages: agents.RoomMessagesTable
  agent_proposals: agents.AgentProposalsTable
  oauth_grants: agents.OAuthGrantsTable
  price_lists: billing.PriceListsTable
  prices: billing.PricesTable
  charges: billing.ChargesTable
  company_budgets: billing.CompanyBudgetsTable
  budget_spend: billing.BudgetAmountsTable
  budget_changes: billing.BudgetAmountsTable
  usage_days: billing.UsageDaysTable
  usage_changes: billing.UsageChangesTable
  custom_tables: customTables.CustomTablesTable
  custom_table_rows: customTables.CustomTableRowsTable
  custom_table_commands: customTables.CustomTableCommandsTable
  custom_table_identities: customTables.CustomTableIdentitiesTable
  custom_table_triggers: customTables.CustomTableTriggersTable
  custom_table_trigger_events: customTables.CustomTableTriggerEventsTable
  run_output_credentials: customTables.RunOutputCredentialsTable
  run_output_effects: customTables.RunOutputEffectsTable
  operator_acts: audit.OperatorActsTable
  run_end_requests: audit.RunEndRequestsTable
  kill_switch: audit.KillSwitchTable
  audit_pending: audit.AuditPendingTable
  audit_entries: audit.AuditEntriesTable
  audit_chains: audit.AuditChainsTable
  audit_heads: audit.AuditHeadsTable
  audit_salt: audit.AuditSaltTable
  event_outbox: notifications.EventOutboxTable
  notifications: notifications.NotificationsTable
  mail_preferences: mail.MailPreferencesTable
  mail_deliveries: mail.MailDeliveriesTable
  webhooks: notifications.WebhooksTable
  webhook_secrets: notifications.WebhookSecretsTable
  webhook_deliveries: notifications.WebhookDeliveriesTable
  content_expiry_notices: notifications.ContentExpiryNoticesTable
  schedules: schedules.SchedulesTable
  schedule_ticks: schedules.ScheduleTicksTable
  doors: doors.DoorsTable
  door_runtimes: doors.DoorRuntimesTable
}
