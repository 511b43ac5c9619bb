-- Counted tables: their rows, and what these stand for, count to the bytes that a company keeps.
--
-- Text is measured as it is stored, without being read; text that is in an index too, three times. The constants are the most
-- that the fixed columns of a row and its entries in indexes take, so that the number of rows is bounded too.

-- the directory
select count_kept_of('departments', 'directory', '512 + 3 * octet_length(name)', changes => true);
select count_kept_of('department_managers', 'directory', '384');
select count_kept_of('chatrooms', 'directory', '768 + 3 * octet_length(name)', changes => true);
select count_kept_of('chatroom_members', 'directory', '384');
select count_kept_of('favorite_chatrooms', 'directory', '384');
select count_kept_of('users', 'directory',
  '1024 + 3 * octet_length(login) + octet_length(display_name) + coalesce(octet_length(email), 0)', changes => true);
select count_kept_of('social_media_clients', 'directory',
  '640 + 3 * octet_length(client_id) + octet_length(display_name)', changes => true);
select count_kept_of('api_keys', 'directory',
  '768 + 3 * octet_length(name) + coalesce(octet_length(allowed_chatroom_ids::text), 0)
   + coalesce(octet_length(domains::text), 0)', changes => true);

-- Environments and builds. An upload that is under way counts as what it declared.
select count_kept_of('environments', 'environments',
  '768 + octet_length(name) + octet_length(description) + coalesce(octet_length(egress_allow_list::text), 0)',
  changes => true);
select count_kept_of('environment_versions', 'environments',
  '1536 + octet_length(source_ref) + coalesce(octet_length(image_config::text), 0)', changes => true);
select count_kept_of('owned_objects', 'archives',
  $$case when object_kind = 'context' and deletion_state in ('active', 'delete_pending') then byte_size else 0 end$$,
  changes => true);
select count_kept_of('owned_objects', 'reports',
  $$case when object_kind <> 'context' and deletion_state in ('active', 'delete_pending') then byte_size else 0 end$$,
  changes => true);
select count_kept_of('upload_sessions', 'uploads',
  $$case when state in ('completed', 'aborted') then 0 else declared_bytes end$$, changes => true);
select count_kept_of('staging_leases', 'uploads',
  'case when held_until is null then 0 else declared_bytes end', changes => true);
select count_kept_of('build_attempts', 'builds', '4096');
select count_kept_of('build_attempts', 'build_logs',
  'case when log_removed_at is null then log_bytes else 0 end', changes => true);
select count_kept_of('build_prefixes', 'cached_layers', 'byte_size', changes => true);
select count_kept_of('kept_images', 'images', 'byte_size', changes => true);
select count_kept_of('pulled_images', 'base_images', 'byte_size', changes => true, company => 'pulled_by');
select count_kept_of('security_findings', 'findings',
  '768 + octet_length(rule) + octet_length(subject) + octet_length(title) + octet_length(installed_version)
   + octet_length(fixed_version) + coalesce(octet_length(block_reason), 0)', changes => true);
select count_kept_of('security_exceptions', 'findings', '4096');

-- tasks
select count_kept_of('tasks', 'tasks',
  '512 + octet_length(name) + octet_length(description) + coalesce(octet_length(egress_allow_list::text), 0)',
  changes => true);
select count_kept_of('task_versions', 'tasks',
  '1024 + coalesce(octet_length(ordinary_env::text), 0) + coalesce(octet_length(secret_slot_declarations::text), 0)
   + coalesce(octet_length(output_policy::text), 0)', changes => true);
select count_kept_of('task_versions', 'scripts',
  'octet_length(startup_script) + octet_length(work_script) + coalesce(octet_length(work_command), 0)
   + coalesce(octet_length(input_instructions), 0) + coalesce(octet_length(input_example), 0)
   + coalesce(octet_length(input_schema), 0)', changes => true);
select count_kept_of('script_uploads', 'scripts', 'byte_size', changes => true);
select count_kept_of('task_bundles', 'bundles', 'byte_size', changes => true);
select count_kept_of('share_grants', 'tasks',
  '512 + octet_length(revoke_reason) + coalesce(octet_length(secret_slot_policies::text), 0)', changes => true);
select count_kept_of('bindings', 'tasks', '512 + octet_length(revoke_reason)', changes => true);

-- Secrets. A value is never changed, and what a rotation writes has as many bytes.
select count_kept_of('secret_bindings', 'secrets', '1024 + 3 * octet_length(slot_name)', changes => true);
select count_kept_of('secret_values', 'secrets', 'octet_length(ciphertext)');
select count_kept_of('secret_envelopes', 'secrets', '512');
select count_kept_of('secret_approvals', 'secret_approvals', '16384');

-- Inputs and results of runs. A program chooses how many artifacts and refused connections there are, and the names in them;
-- the row of an artifact stays when its file is deleted. A file counts a block of the disk more.
select count_kept_of('input_files', 'input_files', '4096 + byte_size');
select count_kept_of('run_files', 'metadata', '256 + octet_length(name)', planned => true);
select count_kept_of('run_metadata', 'metadata', '256 + octet_length(key) + octet_length(value)', planned => true);
select count_kept_of('run_artifacts', 'artifacts', '512 + 2 * octet_length(relative_path)', planned => true);
select count_kept_of('run_refusals', 'refusals', 'octet_length(entries::text)', planned => true);
-- The key of a run counts with the run's row.
select count_kept_of('idempotency_keys', 'requests',
  'case when run_id is null then 512 + 2 * octet_length(key) + coalesce(octet_length(response::text), 0) else 0 end',
  changes => true, planned => true);

-- sessions; a pack counts a block of the disk more
select count_kept_of('sessions', 'sessions', '1024', planned => true);
select count_kept_of('session_trees', 'sessions', '1024 + octet_length(content)', changes => true, planned => true);
select count_kept_of('session_packs', 'sessions', '4096 + byte_size', changes => true, planned => true);
select count_kept_of('session_folders', 'sessions', '1280', planned => true);

-- Schedules. A schedule counts as many ticks as are kept of it.
select count_kept_of('schedules', 'schedules', '32768 + 3 * octet_length(name) + octet_length(input)', changes => true);

-- messages and proposals
select count_kept_of('room_messages', 'messages', '1024 + octet_length(text)', planned => true);
select count_kept_of('agent_proposals', 'proposals', '1024 + octet_length(input)', planned => true);

-- Custom tables. A definition counts as much as the largest one may have.
select count_kept_of('custom_tables', 'table_definitions', '32768');
select count_kept_of('custom_table_commands', 'table_definitions', '32768');
select count_kept_of('custom_table_triggers', 'table_definitions', '32768');
select count_kept_of('custom_table_rows', 'table_rows', '512 + byte_size', changes => true, planned => true);
select count_kept_of('custom_table_trigger_events', 'trigger_events', '512 + byte_size', changes => true, planned => true);

-- The audit log of a company; the chain of the deployment has none.
select count_kept_of('audit_chains', 'audit_log',
  $$case when company_id = '' then 0 else 1024 * (sequence - start_sequence) end$$, changes => true, planned => true);
