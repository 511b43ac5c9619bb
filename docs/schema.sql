-- The schema that the migrations make (server/db/schema), in Postgres's own words.
-- Written by `npm run schema`; do not edit.

create table agent_proposals (
  id text not null,
  company_id text not null,
  chatroom_id text not null,
  principal_type text not null,
  principal_id text not null,
  origin_message_id text,
  origin_sequence bigint not null,
  task_id text not null,
  task_version_id text not null,
  timeout_seconds integer not null,
  input bytea not null,
  input_digest text not null,
  summary text not null,
  state text default 'prepared'::text not null,
  created_at timestamp with time zone default now() not null,
  expires_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  turn_message_id text,
  run_id text,
  constraint agent_proposals_pkey PRIMARY KEY (id),
  constraint agent_proposals_one_commit_a_turn UNIQUE (turn_message_id),
  constraint agent_proposals_run_id_key UNIQUE (run_id),
  constraint agent_proposals_committed CHECK ((state = 'committed'::text) = (run_id IS NOT NULL) AND (state = 'committed'::text) = (turn_message_id IS NOT NULL)),
  constraint agent_proposals_ended CHECK ((state = ANY (ARRAY['prepared'::text, 'committing'::text])) = (ended_at IS NULL)),
  constraint agent_proposals_input_check CHECK (octet_length(input) <= 1048576),
  constraint agent_proposals_input_digest_check CHECK (input_digest ~ '^sha256:[0-9a-f]{64}$'::text),
  constraint agent_proposals_origin_sequence_check CHECK (origin_sequence >= 0),
  constraint agent_proposals_principal_type_check CHECK (principal_type = ANY (ARRAY['user'::text, 'social_media_client'::text])),
  constraint agent_proposals_state_check CHECK (state = ANY (ARRAY['prepared'::text, 'committing'::text, 'committed'::text, 'superseded'::text, 'cancelled'::text, 'expired'::text, 'failed'::text])),
  constraint agent_proposals_timeout_seconds_check CHECK (timeout_seconds >= 1 AND timeout_seconds <= 604680),
  constraint agent_proposals_company_id_chatroom_id_fkey FOREIGN KEY (company_id, chatroom_id) REFERENCES chatrooms(company_id, id),
  constraint agent_proposals_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);
CREATE INDEX agent_proposals_ended ON agent_proposals USING btree (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX agent_proposals_expiry ON agent_proposals USING btree (expires_at) WHERE state = 'prepared'::text;
CREATE UNIQUE INDEX agent_proposals_one_pending ON agent_proposals USING btree (company_id, principal_type, principal_id) WHERE state = ANY (ARRAY['prepared'::text, 'committing'::text]);
CREATE TRIGGER audit_changes AFTER INSERT OR UPDATE ON agent_proposals FOR EACH ROW WHEN (true) EXECUTE FUNCTION record_row_change('agent_proposal', 'id', '');
CREATE TRIGGER count_kept_proposals_delete AFTER DELETE ON agent_proposals REFERENCING OLD TABLE AS olds FOR EACH STATEMENT EXECUTE FUNCTION count_kept_agent_proposals('proposals', '1024 + octet_length(input)', 'company_id');
CREATE TRIGGER count_kept_proposals_insert AFTER INSERT ON agent_proposals REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept_agent_proposals('proposals', '1024 + octet_length(input)', 'company_id');
CREATE TRIGGER notify_of_proposal AFTER INSERT OR UPDATE OF state ON agent_proposals FOR EACH ROW EXECUTE FUNCTION notify_of_proposal();

create table api_keys (
  id text not null,
  company_id text not null,
  owner_user_id text not null,
  name text not null,
  key_hash bytea not null,
  scope text not null,
  allowed_chatroom_ids text[] default '{}'::text[] not null,
  domains text[] default '{*}'::text[] not null,
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  last_used_at timestamp with time zone,
  created_at timestamp with time zone default now() not null,
  pepper integer default 0 not null,
  constraint api_keys_pkey PRIMARY KEY (id),
  constraint api_keys_key_hash_key UNIQUE (key_hash),
  constraint api_keys_check CHECK ((scope = 'sandbox'::text) = (cardinality(allowed_chatroom_ids) > 0)),
  constraint api_keys_domains_check CHECK (cardinality(domains) > 0),
  constraint api_keys_pepper_check CHECK (pepper >= 0 AND pepper <= 999999),
  constraint api_keys_scope_check CHECK (scope = ANY (ARRAY['full'::text, 'sandbox'::text])),
  constraint api_keys_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint api_keys_company_id_owner_user_id_fkey FOREIGN KEY (company_id, owner_user_id) REFERENCES users(company_id, id)
);
CREATE INDEX api_keys_by_company ON api_keys USING btree (company_id, id);
CREATE UNIQUE INDEX api_keys_live_name ON api_keys USING btree (company_id, name) WHERE revoked_at IS NULL;
CREATE TRIGGER audit_changes AFTER INSERT OR DELETE OR UPDATE ON api_keys FOR EACH ROW WHEN (true) EXECUTE FUNCTION record_row_change('api_key', 'id', 'last_used_at,pepper,key_hash');
CREATE TRIGGER count_kept_directory_delete AFTER DELETE ON api_keys REFERENCING OLD TABLE AS olds FOR EACH STATEMENT EXECUTE FUNCTION count_kept('directory', '768 + 3 * octet_length(name) + coalesce(octet_length(allowed_chatroom_ids::text), 0) + coalesce(octet_length(domains::text), 0)', 'company_id');
CREATE TRIGGER count_kept_directory_insert AFTER INSERT ON api_keys REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('directory', '768 + 3 * octet_length(name) + coalesce(octet_length(allowed_chatroom_ids::text), 0) + coalesce(octet_length(domains::text), 0)', 'company_id');
CREATE TRIGGER count_kept_directory_update AFTER UPDATE ON api_keys REFERENCING OLD TABLE AS olds NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('directory', '768 + 3 * octet_length(name) + coalesce(octet_length(allowed_chatroom_ids::text), 0) + coalesce(octet_length(domains::text), 0)', 'company_id');

create table audit_chains (
  company_id text not null,
  start_sequence bigint default 0 not null,
  start_hash bytea default '\x'::bytea not null,
  sequence bigint default 0 not null,
  hash bytea default '\x'::bytea not null,
  constraint audit_chains_pkey PRIMARY KEY (company_id),
  constraint audit_chains_check CHECK (sequence >= start_sequence)
);
CREATE TRIGGER count_kept_audit_log_delete AFTER DELETE ON audit_chains REFERENCING OLD TABLE AS olds FOR EACH STATEMENT EXECUTE FUNCTION count_kept_audit_chains('audit_log', 'case when company_id = '''' then 0 else 1024 * (sequence - start_sequence) end', 'company_id');
CREATE TRIGGER count_kept_audit_log_insert AFTER INSERT ON audit_chains REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept_audit_chains('audit_log', 'case when company_id = '''' then 0 else 1024 * (sequence - start_sequence) end', 'company_id');
CREATE TRIGGER count_kept_audit_log_update AFTER UPDATE ON audit_chains REFERENCING OLD TABLE AS olds NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept_audit_chains('audit_log', 'case when company_id = '''' then 0 else 1024 * (sequence - start_sequence) end', 'company_id');

create table audit_entries (
  company_id text not null,
  sequence bigint not null,
  at timestamp(3) with time zone not null,
  action text not null,
  actor_type text not null,
  actor_id text not null,
  api_key_id text,
  turn_id text,
  request_id text,
  change text not null,
  object_type text not null,
  object_id text not null,
  chatroom_id text,
  run_id text,
  slot text,
  from_state text,
  to_state text,
  digest_before bytea,
  digest_after bytea,
  hash bytea not null,
  constraint audit_entries_pkey PRIMARY KEY (company_id, sequence)
);
CREATE INDEX audit_entries_by_actor ON audit_entries USING btree (company_id, actor_id, at, sequence) WHERE actor_type <> 'service'::text;
CREATE INDEX audit_entries_by_object ON audit_entries USING btree (company_id, object_id, at, sequence);
CREATE INDEX audit_entries_by_time ON audit_entries USING btree (company_id, at, sequence);
CREATE TRIGGER audit_entries_kept BEFORE DELETE OR UPDATE OR TRUNCATE ON audit_entries FOR EACH STATEMENT EXECUTE FUNCTION keep_audit_entries();

create table audit_heads (
  company_id text not null,
  sequence bigint not null,
  hash bytea not null,
  signed_at timestamp(3) with time zone not null,
  key_id text not null,
  signature bytea not null,
  constraint audit_heads_pkey PRIMARY KEY (company_id)
);

create table audit_pending (
  id bigint generated always as identity not null,
  company_id text not null,
  at timestamp(3) with time zone default clock_timestamp() not null,
  change text not null,
  object_type text not null,
  object_id text not null,
  chatroom_id text,
  run_id text,
  slot text,
  from_state text,
  to_state text,
  digest_before bytea,
  digest_after bytea,
  context text default COALESCE(current_setting('sandbox_jobs.audit'::text, true), ''::text) not null,
  account text default SESSION_USER not null,
  constraint audit_pending_pkey PRIMARY KEY (id)
);

create table audit_salt (
  single boolean default true not null,
  salt bytea not null,
  constraint audit_salt_pkey PRIMARY KEY (single),
  constraint audit_salt_salt_check CHECK (length(salt) >= 32),
  constraint audit_salt_single_check CHECK (single)
);

create table base_images (
  executor text not null,
  name text not null,
  digest text not null,
  preset text,
  debian text,
  languages jsonb not null,
  packages text[] not null,
  byte_size bigint,
  made_at timestamp with time zone,
  constraint base_images_pkey PRIMARY KEY (executor, name),
  constraint base_images_byte_size_check CHECK (byte_size >= 0),
  constraint base_images_digest_check CHECK (digest ~ '^sha256:[0-9a-f]{64}$'::text),
  constraint base_images_name_check CHECK (length(name) >= 1 AND length(name) <= 512)
);

create table bindings (
  id text not null,
  company_id text not null,
  chatroom_id text not null,
  task_id text not null,
  task_version_id text not null,
  generation integer not null,
  share_generation integer not null,
  target_authority_generation integer not null,
  state text default 'enabled'::text not null,
  accepted_at timestamp with time zone default now() not null,
  revoked_at timestamp with time zone,
  revoke_reason text default ''::text not null,
  constraint bindings_pkey PRIMARY KEY (id),
  constraint bindings_chatroom_id_task_id_generation_key UNIQUE (chatroom_id, task_id, generation),
  constraint bindings_check CHECK ((state = 'revoked'::text) = (revoked_at IS NOT NULL)),
  constraint bindings_generation_check CHECK (generation >= 1),
  constraint bindings_state_check CHECK (state = ANY (ARRAY['enabled'::text, 'revoked'::text])),
  constraint bindings_chatroom_id_fkey FOREIGN KEY (chatroom_id) REFERENCES chatrooms(id),
  constraint bindings_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint bindings_task_id_fkey FOREIGN KEY (task_id) REFERENCES tasks(id),
  constraint bindings_task_version_id_fkey FOREIGN KEY (task_version_id) REFERENCES task_versions(id)
);
CREATE INDEX bindings_by_task ON bindings USING btree (task_id) WHERE state = 'enabled'::text;
CREATE INDEX bindings_history_of_room ON bindings USING btree (chatroom_id, id);
CREATE INDEX bindings_history_of_task ON bindings USING btree (task_id, id);
CREATE UNIQUE INDEX bindings_one_live ON bindings USING btree (chatroom_id, task_id) WHERE state = 'enabled'::text;
CREATE TRIGGER audit_changes AFTER INSERT OR DELETE OR UPDATE ON bindings FOR EACH ROW WHEN (true) EXECUTE FUNCTION record_row_change('binding', 'id', '');
CREATE TRIGGER count_kept_tasks_delete AFTER DELETE ON bindings REFERENCING OLD TABLE AS olds FOR EACH STATEMENT EXECUTE FUNCTION count_kept('tasks', '512 + octet_length(revoke_reason)', 'company_id');
CREATE TRIGGER count_kept_tasks_insert AFTER INSERT ON bindings REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('tasks', '512 + octet_length(revoke_reason)', 'company_id');
CREATE TRIGGER count_kept_tasks_update AFTER UPDATE ON bindings REFERENCING OLD TABLE AS olds NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('tasks', '512 + octet_length(revoke_reason)', 'company_id');
CREATE TRIGGER notify_of_binding AFTER INSERT OR UPDATE ON bindings FOR EACH ROW EXECUTE FUNCTION notify_of_binding();

create table blocked_digests (
  digest text not null,
  reason text not null,
  blocked_at timestamp with time zone default now() not null,
  constraint blocked_digests_pkey PRIMARY KEY (digest),
  constraint blocked_digests_digest_check CHECK (digest ~ '^sha256:[0-9a-f]{64}$'::text),
  constraint blocked_digests_reason_check CHECK (length(reason) >= 1 AND length(reason) <= 512)
);
CREATE TRIGGER audit_changes AFTER INSERT OR DELETE OR UPDATE ON blocked_digests FOR EACH ROW WHEN (true) EXECUTE FUNCTION record_row_change('blocked_digest', 'digest', '');

create table budget_changes (
  company_id text not null,
  month date not null,
  micro bigint not null,
  constraint budget_changes_micro_check CHECK (micro <> 0)
);
CREATE INDEX budget_changes_by_company ON budget_changes USING btree (company_id);

create table budget_spend (
  company_id text not null,
  month date not null,
  micro bigint not null,
  constraint budget_spend_pkey PRIMARY KEY (company_id, month)
);

create table build_attempts (
  id text not null,
  company_id text not null,
  environment_version_id text not null,
  attempt_number integer not null,
  state text not null,
  stage_code text default 'build_queued'::text not null,
  stage_since timestamp with time zone default now() not null,
  error_code text default ''::text not null,
  error_detail text default ''::text not null,
  build_region text not null,
  build_profile text not null,
  raw_upload_digest text default ''::text not null,
  canonical_digest text default ''::text not null,
  queued_at timestamp with time zone default now() not null,
  started_at timestamp with time zone,
  terminal_at timestamp with time zone,
  fence bigint default 0 not null,
  worker text,
  lease_until timestamp with time zone,
  report_object_id text,
  sbom_object_id text,
  failed_instruction jsonb,
  log_removed_at timestamp with time zone,
  unreturned_claims integer default 0 not null,
  log_bytes bigint default 0 not null,
  network jsonb,
  constraint build_attempts_pkey PRIMARY KEY (id),
  constraint build_attempts_environment_version_id_attempt_number_key UNIQUE (environment_version_id, attempt_number),
  constraint build_attempts_attempt_number_check CHECK (attempt_number >= 1),
  constraint build_attempts_build_profile_check CHECK (build_profile = ANY (ARRAY['standard'::text, 'fast'::text, 'large'::text])),
  constraint build_attempts_check CHECK ((terminal_at IS NOT NULL) = (state = ANY (ARRAY['completed'::text, 'customer_failed'::text, 'platform_failed'::text, 'cancelled'::text]))),
  constraint build_attempts_check1 CHECK ((report_object_id IS NULL) = (sbom_object_id IS NULL)),
  constraint build_attempts_check2 CHECK (failed_instruction IS NULL OR terminal_at IS NOT NULL),
  constraint build_attempts_error_detail_check CHECK (length(error_detail) <= 128),
  constraint build_attempts_log_bytes_check CHECK (log_bytes >= 0),
  constraint build_attempts_state_check CHECK (state = ANY (ARRAY['validation_queued'::text, 'validating'::text, 'build_queued'::text, 'building'::text, 'verifying'::text, 'completed'::text, 'customer_failed'::text, 'platform_failed'::text, 'cancel_requested'::text, 'cancelling'::text, 'cancelled'::text])),
  constraint build_attempts_unreturned_claims_check CHECK (unreturned_claims >= 0),
  constraint build_attempts_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint build_attempts_environment_version_id_fkey FOREIGN KEY (environment_version_id) REFERENCES environment_versions(id),
  constraint build_attempts_report_object_id_fkey FOREIGN KEY (report_object_id) REFERENCES owned_objects(id),
  constraint build_attempts_sbom_object_id_fkey FOREIGN KEY (sbom_object_id) REFERENCES owned_objects(id)
);
CREATE INDEX build_attempts_completed ON build_attempts USING btree (company_id, id DESC) WHERE state = 'completed'::text;
CREATE INDEX build_attempts_leases ON build_attempts USING btree (lease_until) WHERE terminal_at IS NULL AND worker IS NOT NULL;
CREATE INDEX build_attempts_live_by_company ON build_attempts USING btree (company_id) WHERE terminal_at IS NULL;
CREATE UNIQUE INDEX build_attempts_one_live ON build_attempts USING btree (environment_version_id) WHERE terminal_at IS NULL;
CREATE INDEX build_attempts_queue ON build_attempts USING btree (queued_at, id) WHERE state = 'validation_queued'::text;
CREATE INDEX build_attempts_served ON build_attempts USING btree (company_id, started_at DESC) WHERE started_at IS NOT NULL;
CREATE TRIGGER count_kept_build_logs_delete AFTER DELETE ON build_attempts REFERENCING OLD TABLE AS olds FOR EACH STATEMENT EXECUTE FUNCTION count_kept('build_logs', 'case when log_removed_at is null then log_bytes else 0 end', 'company_id');
CREATE TRIGGER count_kept_build_logs_insert AFTER INSERT ON build_attempts REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('build_logs', 'case when log_removed_at is null then log_bytes else 0 end', 'company_id');
CREATE TRIGGER count_kept_build_logs_update AFTER UPDATE ON build_attempts REFERENCING OLD TABLE AS olds NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('build_logs', 'case when log_removed_at is null then log_bytes else 0 end', 'company_id');
CREATE TRIGGER count_kept_builds_delete AFTER DELETE ON build_attempts REFERENCING OLD TABLE AS olds FOR EACH STATEMENT EXECUTE FUNCTION count_kept('builds', '4096', 'company_id');
CREATE TRIGGER count_kept_builds_insert AFTER INSERT ON build_attempts REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('builds', '4096', 'company_id');
CREATE TRIGGER settle_ended_build AFTER UPDATE ON build_attempts FOR EACH ROW WHEN (new.terminal_at IS NOT NULL AND old.terminal_at IS NULL) EXECUTE FUNCTION settle_ended_build();

create table build_cache (
  company_id text not null,
  key text not null,
  version_id text not null,
  noted_at timestamp with time zone default now() not null,
  network_since timestamp with time zone,
  constraint build_cache_pkey PRIMARY KEY (company_id, key),
  constraint build_cache_key_check CHECK (key ~ '^sha256:[0-9a-f]{64}$'::text),
  constraint build_cache_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint build_cache_version_id_fkey FOREIGN KEY (version_id) REFERENCES environment_versions(id)
);
CREATE INDEX build_cache_age ON build_cache USING btree (noted_at);
CREATE INDEX build_cache_versions ON build_cache USING btree (version_id);

create table build_fence (
  single boolean default true not null,
  ends_at timestamp with time zone not null,
  constraint build_fence_pkey PRIMARY KEY (single),
  constraint build_fence_single_check CHECK (single)
);
CREATE TRIGGER audit_changes AFTER INSERT OR DELETE OR UPDATE ON build_fence FOR EACH ROW WHEN (true) EXECUTE FUNCTION record_row_change('build_fence', 'single', '');

create table build_memory_turn (
  executor text not null,
  attempt_id text not null,
  reserved_at timestamp with time zone not null,
  renewed_at timestamp with time zone not null,
  constraint build_memory_turn_pkey PRIMARY KEY (executor),
  constraint build_memory_turn_check CHECK (renewed_at >= reserved_at),
  constraint build_memory_turn_attempt_id_fkey FOREIGN KEY (attempt_id) REFERENCES build_attempts(id) ON DELETE CASCADE
);

create table build_prefixes (
  company_id text not null,
  key text not null,
  attempt_id text not null,
  byte_size bigint not null,
  envelope jsonb,
  used_at timestamp with time zone default now() not null,
  network_since timestamp with time zone,
  constraint build_prefixes_pkey PRIMARY KEY (company_id, key, attempt_id),
  constraint build_prefixes_byte_size_check CHECK (byte_size > 0),
  constraint build_prefixes_key_check CHECK (key ~ '^sha256:[0-9a-f]{64}$'::text),
  constraint build_prefixes_attempt_id_fkey FOREIGN KEY (attempt_id) REFERENCES build_attempts(id),
  constraint build_prefixes_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);
CREATE INDEX build_prefixes_age ON build_prefixes USING btree (used_at);
CREATE INDEX build_prefixes_attempts ON build_prefixes USING btree (attempt_id);
CREATE TRIGGER count_kept_cached_layers_delete AFTER DELETE ON build_prefixes REFERENCING OLD TABLE AS olds FOR EACH STATEMENT EXECUTE FUNCTION count_kept('cached_layers', 'byte_size', 'company_id');
CREATE TRIGGER count_kept_cached_layers_insert AFTER INSERT ON build_prefixes REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('cached_layers', 'byte_size', 'company_id');
CREATE TRIGGER count_kept_cached_layers_update AFTER UPDATE ON build_prefixes REFERENCING OLD TABLE AS olds NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('cached_layers', 'byte_size', 'company_id');

create table build_stages (
  attempt_id text not null,
  company_id text not null,
  stage text not null,
  started_at timestamp with time zone default now() not null,
  ended_at timestamp with time zone,
  outcome text,
  passes integer default 1 not null,
  constraint build_stages_pkey PRIMARY KEY (attempt_id, stage),
  constraint build_stages_check CHECK ((ended_at IS NULL) = (outcome IS NULL)),
  constraint build_stages_outcome_check CHECK (outcome = ANY (ARRAY['completed'::text, 'failed'::text, 'cancelled'::text, 'interrupted'::text])),
  constraint build_stages_passes_check CHECK (passes >= 1),
  constraint build_stages_attempt_id_fkey FOREIGN KEY (attempt_id) REFERENCES build_attempts(id),
  constraint build_stages_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);
CREATE UNIQUE INDEX build_stages_one_open ON build_stages USING btree (attempt_id) WHERE ended_at IS NULL;
CREATE TRIGGER notify_of_stage AFTER INSERT OR UPDATE OF passes ON build_stages FOR EACH ROW EXECUTE FUNCTION notify_of_stage();

create table built_prefixes (
  environment_id text not null,
  keys text[] not null,
  noted_at timestamp with time zone default now() not null,
  constraint built_prefixes_pkey PRIMARY KEY (environment_id),
  constraint built_prefixes_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id)
);
CREATE INDEX built_prefixes_age ON built_prefixes USING btree (noted_at);

create table charges (
  subject_id text not null,
  company_id text not null,
  kind text not null,
  list_id bigint not null,
  region text not null,
  month date not null,
  per_second_micro bigint not null,
  ingress_per_gib_micro bigint not null,
  egress_per_gib_micro bigint not null,
  minimum_billed_seconds integer not null,
  reserved_seconds integer not null,
  held_micro bigint not null,
  billed_seconds integer,
  cost_micro bigint,
  settled_at timestamp with time zone,
  reserved_received_bytes bigint,
  reserved_sent_bytes bigint,
  constraint charges_pkey PRIMARY KEY (subject_id),
  constraint charges_check CHECK (reserved_seconds >= minimum_billed_seconds),
  constraint charges_cost_micro_check CHECK (cost_micro >= 0),
  constraint charges_held_micro_check CHECK (held_micro >= 0),
  constraint charges_kind_check CHECK (kind = ANY (ARRAY['run'::text, 'build'::text])),
  constraint charges_reserved_received_bytes_check CHECK (reserved_received_bytes >= 0),
  constraint charges_reserved_sent_bytes_check CHECK (reserved_sent_bytes >= 0),
  constraint charges_settled CHECK ((settled_at IS NULL) = (cost_micro IS NULL) AND (settled_at IS NULL) = (billed_seconds IS NULL))
);
CREATE INDEX charges_held ON charges USING btree (company_id) WHERE settled_at IS NULL;

create table chatroom_members (
  chatroom_id text not null,
  user_id text not null,
  company_id text not null,
  room_manager boolean default false not null,
  constraint chatroom_members_pkey PRIMARY KEY (chatroom_id, user_id),
  constraint chatroom_members_company_id_chatroom_id_fkey FOREIGN KEY (company_id, chatroom_id) REFERENCES chatrooms(company_id, id),
  constraint chatroom_members_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint chatroom_members_company_id_user_id_fkey FOREIGN KEY (company_id, user_id) REFERENCES users(company_id, id)
);
CREATE INDEX chatroom_members_by_user ON chatroom_members USING btree (user_id);
CREATE TRIGGER audit_changes AFTER INSERT OR DELETE OR UPDATE ON chatroom_members FOR EACH ROW WHEN (true) EXECUTE FUNCTION record_row_change('chatroom_member', 'chatroom_id,user_id', '');
CREATE TRIGGER count_kept_directory_delete AFTER DELETE ON chatroom_members REFERENCING OLD TABLE AS olds FOR EACH STATEMENT EXECUTE FUNCTION count_kept('directory', '384', 'company_id');
CREATE TRIGGER count_kept_directory_insert AFTER INSERT ON chatroom_members REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('directory', '384', 'company_id');

create table chatrooms (
  id text not null,
  company_id text not null,
  department_id text not null,
  name text not null,
  authority_generation integer default 1 not null,
  jobs text[],
  jobs_updated_at timestamp with time zone,
  deleted_at timestamp with time zone,
  created_at timestamp with time zone default now() not null,
  announces_runs boolean default false not null,
  constraint chatrooms_pkey PRIMARY KEY (id),
  constraint chatrooms_company_id_id_key UNIQUE (company_id, id),
  constraint chatrooms_authority_generation_check CHECK (authority_generation >= 1),
  constraint chatrooms_name_check CHECK (length(name) >= 1 AND length(name) <= 256),
  constraint chatrooms_company_id_department_id_fkey FOREIGN KEY (company_id, department_id) REFERENCES departments(company_id, id),
  constraint chatrooms_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);
CREATE UNIQUE INDEX chatrooms_live_name ON chatrooms USING btree (department_id, name) WHERE deleted_at IS NULL;
CREATE TRIGGER audit_changes AFTER INSERT OR DELETE OR UPDATE ON chatrooms FOR EACH ROW WHEN (true) EXECUTE FUNCTION record_row_change('chatroom', 'id', '');
CREATE TRIGGER count_kept_directory_delete AFTER DELETE ON chatrooms REFERENCING OLD TABLE AS olds FOR EACH STATEMENT EXECUTE FUNCTION count_kept('directory', '768 + 3 * octet_length(name)', 'company_id');
CREATE TRIGGER count_kept_directory_insert AFTER INSERT ON chatrooms REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('directory', '768 + 3 * octet_length(name)', 'company_id');
CREATE TRIGGER count_kept_directory_update AFTER UPDATE ON chatrooms REFERENCING OLD TABLE AS olds NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('directory', '768 + 3 * octet_length(name)', 'company_id');
CREATE TRIGGER keep_referred AFTER DELETE OR UPDATE OF id, company_id ON chatrooms FOR EACH ROW EXECUTE FUNCTION keep_referred('chatroom_id');

create table companies (
  id text not null,
  name text not null,
  created_at timestamp with time zone default now() not null,
  constraint companies_pkey PRIMARY KEY (id),
  constraint companies_name_key UNIQUE (name),
  constraint companies_name_check CHECK (length(name) >= 1 AND length(name) <= 256)
);
CREATE TRIGGER audit_changes AFTER INSERT OR DELETE OR UPDATE ON companies FOR EACH ROW WHEN (true) EXECUTE FUNCTION record_row_change('company', 'id', '');

create table company_budgets (
  company_id text not null,
  month date not null,
  recurring boolean not null,
  amount_micro bigint not null,
  constraint company_budgets_pkey PRIMARY KEY (company_id, month, recurring),
  constraint company_budgets_amount_micro_check CHECK (amount_micro >= 0 AND amount_micro <= '9007199254740991'::bigint),
  constraint company_budgets_month_check CHECK (EXTRACT(day FROM month) = 1::numeric),
  constraint company_budgets_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);
CREATE TRIGGER audit_changes AFTER INSERT OR DELETE OR UPDATE ON company_budgets FOR EACH ROW WHEN (true) EXECUTE FUNCTION record_row_change('company_budget', 'company_id,month', '');

create table company_settings (
  company_id text not null,
  policy_version integer default 1 not null,
  run_content_retention_days integer not null,
  unreferenced_image_retention_days integer not null,
  allowed_regions text[] not null,
  runtime_egress_enabled boolean default true not null,
  timeout_ceiling_seconds integer not null,
  active_environment_limit integer not null,
  capacity_retained_version_limit integer not null,
  updated_at timestamp with time zone default now() not null,
  run_concurrency_limit integer,
  queued_run_limit integer,
  active_build_limit integer,
  queued_build_limit integer,
  run_timeout_bound_seconds integer,
  kept_bytes_limit bigint,
  network_cache_days integer,
  constraint company_settings_pkey PRIMARY KEY (company_id),
  constraint company_settings_active_build_limit_check CHECK (active_build_limit >= 1),
  constraint company_settings_active_environment_limit_check CHECK (active_environment_limit >= 0),
  constraint company_settings_allowed_regions_check CHECK (cardinality(allowed_regions) >= 1),
  constraint company_settings_capacity_retained_version_limit_check CHECK (capacity_retained_version_limit >= 0),
  constraint company_settings_kept_bytes_limit_check CHECK (kept_bytes_limit >= 1),
  constraint company_settings_network_cache_days_check CHECK (network_cache_days >= 1 AND network_cache_days <= 30),
  constraint company_settings_policy_version_check CHECK (policy_version >= 1),
  constraint company_settings_queued_build_limit_check CHECK (queued_build_limit >= 1),
  constraint company_settings_queued_run_limit_check CHECK (queued_run_limit >= 1),
  constraint company_settings_run_concurrency_limit_check CHECK (run_concurrency_limit >= 1),
  constraint company_settings_run_content_retention_days_check CHECK (run_content_retention_days >= 1 AND run_content_retention_days <= 365),
  constraint company_settings_run_timeout_bound_seconds_check CHECK (run_timeout_bound_seconds >= 1 AND run_timeout_bound_seconds <= 604680),
  constraint company_settings_timeout_ceiling_seconds_check CHECK (timeout_ceiling_seconds >= 1 AND timeout_ceiling_seconds <= 604680),
  constraint company_settings_unreferenced_image_retention_days_check CHECK (unreferenced_image_retention_days >= 1 AND unreferenced_image_retention_days <= 90),
  constraint company_settings_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);
CREATE TRIGGER audit_changes AFTER INSERT OR DELETE OR UPDATE ON company_settings FOR EACH ROW WHEN (true) EXECUTE FUNCTION record_row_change('company_settings', 'company_id', '');

create table composed_images (
  installed_digest text not null,
  runner_digest text not null,
  repository text not null,
  digest text not null,
  pushed_at timestamp with time zone default now() not null,
  constraint composed_images_pkey PRIMARY KEY (installed_digest, runner_digest, repository),
  constraint composed_images_digest_check CHECK (digest ~ '^sha256:[0-9a-f]{64}$'::text),
  constraint composed_images_installed_digest_check CHECK (installed_digest ~ '^sha256:[0-9a-f]{64}$'::text),
  constraint composed_images_repository_check CHECK (length(repository) >= 3 AND length(repository) <= 512),
  constraint composed_images_runner_digest_check CHECK (runner_digest ~ '^sha256:[0-9a-f]{64}$'::text)
);

create table console_preferences (
  user_id text not null,
  company_id text not null,
  language text,
  time_zone text,
  theme text not null,
  single_keys boolean not null,
  log_wrap boolean not null,
  constraint console_preferences_pkey PRIMARY KEY (user_id),
  constraint console_preferences_language_check CHECK (language = ANY (ARRAY['en'::text, 'de'::text])),
  constraint console_preferences_theme_check CHECK (theme = ANY (ARRAY['system'::text, 'light'::text, 'dark'::text])),
  constraint console_preferences_time_zone_check CHECK (length(time_zone) >= 1 AND length(time_zone) <= 64),
  constraint console_preferences_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint console_preferences_company_id_user_id_fkey FOREIGN KEY (company_id, user_id) REFERENCES users(company_id, id)
);

create table content_expiry_notices (
  company_id text not null,
  ended_before timestamp with time zone not null,
  constraint content_expiry_notices_pkey PRIMARY KEY (company_id),
  constraint content_expiry_notices_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);

create table context_facts (
  company_id text not null,
  raw_digest text not null,
  archive_format text not null,
  gate_digest text not null,
  canonical_digest text not null,
  bases text[] not null,
  noted_at timestamp with time zone default now() not null,
  points jsonb not null,
  final_base text,
  constraint context_facts_pkey PRIMARY KEY (company_id, raw_digest, archive_format, gate_digest),
  constraint context_facts_canonical_digest_check CHECK (canonical_digest ~ '^sha256:[0-9a-f]{64}$'::text),
  constraint context_facts_gate_digest_check CHECK (gate_digest ~ '^sha256:[0-9a-f]{64}$'::text),
  constraint context_facts_raw_digest_check CHECK (raw_digest ~ '^sha256:[0-9a-f]{64}$'::text),
  constraint context_facts_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);
CREATE INDEX context_facts_age ON context_facts USING btree (noted_at);

create table custom_table_commands (
  id text not null,
  company_id text not null,
  table_id text not null,
  name text not null,
  description text default ''::text not null,
  revision integer default 1 not null,
  inputs jsonb not null,
  mode text not null,
  authority text not null,
  effect_identity text[],
  granted_scope text not null,
  granted_id text not null,
  state text default 'active'::text not null,
  created_by text not null,
  created_at timestamp with time zone default now() not null,
  archived_at timestamp with time zone,
  constraint custom_table_commands_pkey PRIMARY KEY (id),
  constraint custom_table_commands_company_id_id_key UNIQUE (company_id, id),
  constraint custom_table_commands_authority_check CHECK (authority = ANY (ARRAY['definition'::text, 'caller'::text])),
  constraint custom_table_commands_check CHECK ((state = 'archived'::text) = (archived_at IS NOT NULL)),
  constraint custom_table_commands_check1 CHECK (mode = 'write'::text OR effect_identity IS NULL),
  constraint custom_table_commands_description_check CHECK (length(description) <= 2048),
  constraint custom_table_commands_effect_identity_check CHECK (cardinality(effect_identity) >= 1 AND cardinality(effect_identity) <= 16),
  constraint custom_table_commands_granted_scope_check CHECK (granted_scope = ANY (ARRAY['chatroom'::text, 'department'::text, 'company'::text])),
  constraint custom_table_commands_inputs_check CHECK (jsonb_typeof(inputs) = 'array'::text AND jsonb_array_length(inputs) >= 1 AND jsonb_array_length(inputs) <= 200),
  constraint custom_table_commands_mode_check CHECK (mode = ANY (ARRAY['write'::text, 'read'::text])),
  constraint custom_table_commands_name_check CHECK (length(name) >= 1 AND length(name) <= 256),
  constraint custom_table_commands_revision_check CHECK (revision >= 1),
  constraint custom_table_commands_state_check CHECK (state = ANY (ARRAY['active'::text, 'archived'::text])),
  constraint custom_table_commands_company_id_table_id_fkey FOREIGN KEY (company_id, table_id) REFERENCES custom_tables(company_id, id)
);
CREATE INDEX custom_table_commands_by_grant ON custom_table_commands USING btree (company_id, granted_id, id);
CREATE INDEX custom_table_commands_of_table ON custom_table_commands USING btree (table_id, id);
CREATE TRIGGER audit_changes AFTER INSERT OR DELETE OR UPDATE ON custom_table_commands FOR EACH ROW WHEN (true) EXECUTE FUNCTION record_row_change('table_command', 'id', '');
CREATE TRIGGER count_kept_table_definitions_delete AFTER DELETE ON custom_table_commands REFERENCING OLD TABLE AS olds FOR EACH STATEMENT EXECUTE FUNCTION count_kept('table_definitions', '32768', 'company_id');
CREATE TRIGGER count_kept_table_definitions_insert AFTER INSERT ON custom_table_commands REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('table_definitions', '32768', 'company_id');

create table custom_table_identities (
  command_id text not null,
  identity text not null,
  company_id text not null,
  row_id text not null,
  constraint custom_table_identities_pkey PRIMARY KEY (command_id, identity),
  constraint custom_table_identities_identity_check CHECK (identity ~ '^[0-9a-f]{64}$'::text),
  constraint custom_table_identities_company_id_command_id_fkey FOREIGN KEY (company_id, command_id) REFERENCES custom_table_commands(company_id, id),
  constraint custom_table_identities_row_id_fkey FOREIGN KEY (row_id) REFERENCES custom_table_rows(id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
);
CREATE INDEX custom_table_identities_of_row ON custom_table_identities USING btree (row_id);

create table custom_table_rows (
  id text not null,
  company_id text not null,
  table_id text not null,
  version integer default 1 not null,
  chatroom_id text,
  "values" jsonb not null,
  byte_size integer not null,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  constraint custom_table_rows_pkey PRIMARY KEY (id),
  constraint custom_table_rows_byte_size_check CHECK (byte_size >= 2 AND byte_size <= 65536),
  constraint custom_table_rows_values_check CHECK (jsonb_typeof("values") = 'object'::text),
  constraint custom_table_rows_version_check CHECK (version >= 1),
  constraint custom_table_rows_company_id_table_id_fkey FOREIGN KEY (company_id, table_id) REFERENCES custom_tables(company_id, id)
);
CREATE INDEX custom_table_rows_of_table ON custom_table_rows USING btree (table_id, id);
CREATE TRIGGER audit_changes AFTER INSERT OR DELETE OR UPDATE ON custom_table_rows FOR EACH ROW WHEN (true) EXECUTE FUNCTION record_row_change('table_row', 'id', '');
CREATE TRIGGER count_kept_table_rows_delete AFTER DELETE ON custom_table_rows REFERENCING OLD TABLE AS olds FOR EACH STATEMENT EXECUTE FUNCTION count_kept_custom_table_rows('table_rows', '512 + byte_size', 'company_id');
CREATE TRIGGER count_kept_table_rows_insert AFTER INSERT ON custom_table_rows REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept_custom_table_rows('table_rows', '512 + byte_size', 'company_id');
CREATE TRIGGER count_kept_table_rows_update AFTER UPDATE ON custom_table_rows REFERENCING OLD TABLE AS olds NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept_custom_table_rows('table_rows', '512 + byte_size', 'company_id');

create table custom_table_trigger_events (
  id text not null,
  place bigint generated always as identity not null,
  company_id text not null,
  trigger_id text not null,
  row_id text not null,
  row_version integer not null,
  event text not null,
  "values" jsonb,
  byte_size integer not null,
  chain integer not null,
  outcome text,
  run_id text,
  error_code text,
  created_at timestamp with time zone default now() not null,
  handled_at timestamp with time zone,
  constraint custom_table_trigger_events_pkey PRIMARY KEY (id),
  constraint custom_table_trigger_events_trigger_id_row_id_row_version_key UNIQUE (trigger_id, row_id, row_version),
  constraint custom_table_trigger_events_byte_size_check CHECK (byte_size >= 0 AND byte_size <= 65536),
  constraint custom_table_trigger_events_chain_check CHECK (chain >= 1),
  constraint custom_table_trigger_events_check CHECK ((outcome IS NULL) = (handled_at IS NULL)),
  constraint custom_table_trigger_events_check1 CHECK ((outcome IS NULL) = ("values" IS NOT NULL)),
  constraint custom_table_trigger_events_check2 CHECK ((NOT outcome IS DISTINCT FROM 'started'::text) = (run_id IS NOT NULL)),
  constraint custom_table_trigger_events_check3 CHECK ((NOT outcome IS DISTINCT FROM 'refused'::text) = (error_code IS NOT NULL)),
  constraint custom_table_trigger_events_event_check CHECK (event = ANY (ARRAY['create'::text, 'update'::text])),
  constraint custom_table_trigger_events_outcome_check CHECK (outcome = ANY (ARRAY['started'::text, 'refused'::text])),
  constraint custom_table_trigger_events_row_version_check CHECK (row_version >= 1),
  constraint custom_table_trigger_events_company_id_trigger_id_fkey FOREIGN KEY (company_id, trigger_id) REFERENCES custom_table_triggers(company_id, id)
);
CREATE INDEX custom_table_trigger_events_age ON custom_table_trigger_events USING btree (handled_at) WHERE outcome IS NOT NULL;
CREATE UNIQUE INDEX custom_table_trigger_events_of_run ON custom_table_trigger_events USING btree (run_id);
CREATE INDEX custom_table_trigger_events_of_trigger ON custom_table_trigger_events USING btree (trigger_id, place DESC);
CREATE INDEX custom_table_trigger_events_waiting ON custom_table_trigger_events USING btree (company_id, place) WHERE outcome IS NULL;
CREATE TRIGGER count_kept_trigger_events_delete AFTER DELETE ON custom_table_trigger_events REFERENCING OLD TABLE AS olds FOR EACH STATEMENT EXECUTE FUNCTION count_kept_custom_table_trigger_events('trigger_events', '512 + byte_size', 'company_id');
CREATE TRIGGER count_kept_trigger_events_insert AFTER INSERT ON custom_table_trigger_events REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept_custom_table_trigger_events('trigger_events', '512 + byte_size', 'company_id');
CREATE TRIGGER count_kept_trigger_events_update AFTER UPDATE ON custom_table_trigger_events REFERENCING OLD TABLE AS olds NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept_custom_table_trigger_events('trigger_events', '512 + byte_size', 'company_id');

create table custom_table_triggers (
  id text not null,
  company_id text not null,
  table_id text not null,
  name text not null,
  description text default ''::text not null,
  events text[] not null,
  chatroom_id text not null,
  task_version_id text not null,
  input_template jsonb not null,
  timeout_seconds integer,
  run_as text not null,
  state text default 'active'::text not null,
  last_error_code text,
  last_refused_at timestamp with time zone,
  created_at timestamp with time zone default now() not null,
  archived_at timestamp with time zone,
  constraint custom_table_triggers_pkey PRIMARY KEY (id),
  constraint custom_table_triggers_company_id_id_key UNIQUE (company_id, id),
  constraint custom_table_triggers_check CHECK ((state = 'archived'::text) = (archived_at IS NOT NULL)),
  constraint custom_table_triggers_check1 CHECK ((last_error_code IS NULL) = (last_refused_at IS NULL)),
  constraint custom_table_triggers_description_check CHECK (length(description) <= 2048),
  constraint custom_table_triggers_events_check CHECK (events <@ ARRAY['create'::text, 'update'::text] AND cardinality(events) >= 1 AND cardinality(events) <= 2),
  constraint custom_table_triggers_name_check CHECK (length(name) >= 1 AND length(name) <= 256),
  constraint custom_table_triggers_state_check CHECK (state = ANY (ARRAY['active'::text, 'archived'::text])),
  constraint custom_table_triggers_timeout_seconds_check CHECK (timeout_seconds >= 1),
  constraint custom_table_triggers_company_id_table_id_fkey FOREIGN KEY (company_id, table_id) REFERENCES custom_tables(company_id, id)
);
CREATE INDEX custom_table_triggers_of_table ON custom_table_triggers USING btree (table_id, id);
CREATE TRIGGER audit_changes AFTER INSERT OR DELETE OR UPDATE ON custom_table_triggers FOR EACH ROW WHEN (true) EXECUTE FUNCTION record_row_change('table_trigger', 'id', 'last_error_code,last_refused_at');
CREATE TRIGGER count_kept_table_definitions_delete AFTER DELETE ON custom_table_triggers REFERENCING OLD TABLE AS olds FOR EACH STATEMENT EXECUTE FUNCTION count_kept('table_definitions', '32768', 'company_id');
CREATE TRIGGER count_kept_table_definitions_insert AFTER INSERT ON custom_table_triggers REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('table_definitions', '32768', 'company_id');

create table custom_tables (
  id text not null,
  company_id text not null,
  owner_scope text not null,
  owner_id text not null,
  name text not null,
  description text default ''::text not null,
  fields jsonb not null,
  commands_only boolean default false not null,
  channel_rule boolean default false not null,
  row_count integer default 0 not null,
  state text default 'active'::text not null,
  created_by text not null,
  created_at timestamp with time zone default now() not null,
  archived_at timestamp with time zone,
  constraint custom_tables_pkey PRIMARY KEY (id),
  constraint custom_tables_company_id_id_key UNIQUE (company_id, id),
  constraint custom_tables_check CHECK ((state = 'archived'::text) = (archived_at IS NOT NULL)),
  constraint custom_tables_description_check CHECK (length(description) <= 2048),
  constraint custom_tables_fields_check CHECK (jsonb_typeof(fields) = 'array'::text AND jsonb_array_length(fields) >= 1 AND jsonb_array_length(fields) <= 200),
  constraint custom_tables_name_check CHECK (length(name) >= 1 AND length(name) <= 256),
  constraint custom_tables_owner_scope_check CHECK (owner_scope = ANY (ARRAY['department'::text, 'company'::text])),
  constraint custom_tables_row_count_check CHECK (row_count >= 0),
  constraint custom_tables_state_check CHECK (state = ANY (ARRAY['active'::text, 'archived'::text])),
  constraint custom_tables_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);
CREATE INDEX custom_tables_by_owner ON custom_tables USING btree (company_id, owner_id, id);
CREATE TRIGGER audit_changes AFTER INSERT OR DELETE OR UPDATE ON custom_tables FOR EACH ROW WHEN (true) EXECUTE FUNCTION record_row_change('custom_table', 'id', 'row_count');
CREATE TRIGGER count_kept_table_definitions_delete AFTER DELETE ON custom_tables REFERENCING OLD TABLE AS olds FOR EACH STATEMENT EXECUTE FUNCTION count_kept('table_definitions', '32768', 'company_id');
CREATE TRIGGER count_kept_table_definitions_insert AFTER INSERT ON custom_tables REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('table_definitions', '32768', 'company_id');

create table department_managers (
  department_id text not null,
  user_id text not null,
  company_id text not null,
  constraint department_managers_pkey PRIMARY KEY (user_id, department_id),
  constraint department_managers_company_id_department_id_fkey FOREIGN KEY (company_id, department_id) REFERENCES departments(company_id, id),
  constraint department_managers_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint department_managers_company_id_user_id_fkey FOREIGN KEY (company_id, user_id) REFERENCES users(company_id, id)
);
CREATE TRIGGER audit_changes AFTER INSERT OR DELETE OR UPDATE ON department_managers FOR EACH ROW WHEN (true) EXECUTE FUNCTION record_row_change('department_manager', 'department_id,user_id', '');
CREATE TRIGGER count_kept_directory_delete AFTER DELETE ON department_managers REFERENCING OLD TABLE AS olds FOR EACH STATEMENT EXECUTE FUNCTION count_kept('directory', '384', 'company_id');
CREATE TRIGGER count_kept_directory_insert AFTER INSERT ON department_managers REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('directory', '384', 'company_id');

create table departments (
  id text not null,
  company_id text not null,
  name text not null,
  created_at timestamp with time zone default now() not null,
  constraint departments_pkey PRIMARY KEY (id),
  constraint departments_company_id_id_key UNIQUE (company_id, id),
  constraint departments_company_id_name_key UNIQUE (company_id, name),
  constraint departments_name_check CHECK (length(name) >= 1 AND length(name) <= 256),
  constraint departments_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);
CREATE TRIGGER audit_changes AFTER INSERT OR DELETE OR UPDATE ON departments FOR EACH ROW WHEN (true) EXECUTE FUNCTION record_row_change('department', 'id', '');
CREATE TRIGGER count_kept_directory_delete AFTER DELETE ON departments REFERENCING OLD TABLE AS olds FOR EACH STATEMENT EXECUTE FUNCTION count_kept('directory', '512 + 3 * octet_length(name)', 'company_id');
CREATE TRIGGER count_kept_directory_insert AFTER INSERT ON departments REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('directory', '512 + 3 * octet_length(name)', 'company_id');
CREATE TRIGGER count_kept_directory_update AFTER UPDATE ON departments REFERENCING OLD TABLE AS olds NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('directory', '512 + 3 * octet_length(name)', 'company_id');

create table door_runtimes (
  door_id text not null,
  company_id text not null,
  place integer not null,
  language text not null,
  version text not null,
  aliases text[] not null,
  environment_version_id text not null,
  run_command text not null,
  compile_command text,
  constraint door_runtimes_pkey PRIMARY KEY (door_id, place),
  constraint door_runtimes_door_id_language_version_key UNIQUE (door_id, language, version),
  constraint door_runtimes_aliases_check CHECK (cardinality(aliases) <= 32),
  constraint door_runtimes_compile_command_check CHECK (length(compile_command) >= 1 AND length(compile_command) <= 1024),
  constraint door_runtimes_language_check CHECK (length(language) >= 1 AND length(language) <= 64),
  constraint door_runtimes_place_check CHECK (place >= 0 AND place <= 31),
  constraint door_runtimes_run_command_check CHECK (length(run_command) >= 1 AND length(run_command) <= 1024),
  constraint door_runtimes_version_check CHECK (length(version) >= 1 AND length(version) <= 64),
  constraint door_runtimes_company_id_door_id_fkey FOREIGN KEY (company_id, door_id) REFERENCES doors(company_id, id) ON DELETE CASCADE,
  constraint door_runtimes_environment_version_id_fkey FOREIGN KEY (environment_version_id) REFERENCES environment_versions(id)
);
CREATE INDEX door_runtimes_by_version ON door_runtimes USING btree (environment_version_id);

create table doors (
  id text not null,
  company_id text not null,
  chatroom_id text not null,
  owner_user_id text not null,
  name text not null,
  kind text not null,
  network boolean not null,
  timeout_seconds integer not null,
  key_hash bytea not null,
  pepper integer not null,
  created_at timestamp with time zone default now() not null,
  last_used_at timestamp with time zone,
  constraint doors_pkey PRIMARY KEY (id),
  constraint doors_company_id_id_key UNIQUE (company_id, id),
  constraint doors_key_hash_key UNIQUE (key_hash),
  constraint doors_key_hash_check CHECK (octet_length(key_hash) = 32),
  constraint doors_kind_check CHECK (kind = ANY (ARRAY['dify'::text, 'piston'::text, 'librechat'::text, 'open_terminal'::text])),
  constraint doors_name_check CHECK (length(name) >= 1 AND length(name) <= 256),
  constraint doors_pepper_check CHECK (pepper >= 0 AND pepper <= 999999),
  constraint doors_timeout_seconds_check CHECK (timeout_seconds >= 1 AND timeout_seconds <= 300),
  constraint doors_company_id_chatroom_id_fkey FOREIGN KEY (company_id, chatroom_id) REFERENCES chatrooms(company_id, id),
  constraint doors_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint doors_company_id_owner_user_id_fkey FOREIGN KEY (company_id, owner_user_id) REFERENCES users(company_id, id)
);
CREATE UNIQUE INDEX doors_name ON doors USING btree (chatroom_id, name);
CREATE TRIGGER audit_changes AFTER INSERT OR DELETE OR UPDATE ON doors FOR EACH ROW WHEN (true) EXECUTE FUNCTION record_row_change('door', 'id', 'last_used_at,pepper,key_hash');

create table environment_versions (
  id text not null,
  company_id text,
  environment_id text not null,
  version_number integer not null,
  state text default 'draft'::text not null,
  security_state text default 'clear'::text not null,
  resource_profile text not null,
  owned_object_id text,
  source_digest text,
  source_ref text default ''::text not null,
  promoted_digest text,
  composed_execution_digest text,
  layer_digest text,
  image_config jsonb,
  unpacked_bytes bigint,
  compressed_bytes bigint,
  ready_at timestamp with time zone,
  verified_at timestamp with time zone,
  state_changed_at timestamp with time zone default now() not null,
  last_build_attempt_id text,
  created_at timestamp with time zone default now() not null,
  retiring_layer_digest text,
  unreferenced_since timestamp with time zone,
  isolation text default 'standard'::text not null,
  runner_release text,
  policy_revision text,
  blocked_reason text default ''::text not null,
  blocked_from text,
  build_cache text default 'images'::text not null,
  handoff_since timestamp with time zone,
  handoff_failed_at timestamp with time zone,
  renewal_blocked_at timestamp with time zone,
  constraint environment_versions_pkey PRIMARY KEY (id),
  constraint environment_versions_environment_id_version_number_key UNIQUE (environment_id, version_number),
  constraint environment_versions_build_cache_check CHECK (build_cache = ANY (ARRAY['none'::text, 'images'::text])),
  constraint environment_versions_check CHECK (state <> 'ready'::text OR promoted_digest IS NOT NULL AND layer_digest IS NOT NULL AND ready_at IS NOT NULL),
  constraint environment_versions_check1 CHECK (layer_digest IS NULL OR retiring_layer_digest IS NULL),
  constraint environment_versions_check2 CHECK (blocked_from IS NULL OR (state = ANY (ARRAY['blocked'::text, 'archived'::text]))),
  constraint environment_versions_isolation_check CHECK (isolation = ANY (ARRAY['standard'::text, 'gvisor'::text])),
  constraint environment_versions_security_state_check CHECK (security_state = ANY (ARRAY['clear'::text, 'blocked'::text])),
  constraint environment_versions_state_check CHECK (state = ANY (ARRAY['draft'::text, 'build_queued'::text, 'building'::text, 'quarantined'::text, 'verifying'::text, 'verified'::text, 'regional_provisioning'::text, 'ready'::text, 'retryable_failed'::text, 'rejected'::text, 'abandoned'::text, 'blocked'::text, 'superseded'::text, 'archived'::text, 'provisioning_blocked'::text])),
  constraint environment_versions_version_number_check CHECK (version_number >= 1),
  constraint environment_versions_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint environment_versions_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint environment_versions_owned_object_id_fkey FOREIGN KEY (owned_object_id) REFERENCES owned_objects(id),
  constraint environment_versions_runner_release_fkey FOREIGN KEY (runner_release) REFERENCES runner_releases(release)
);
CREATE INDEX environment_versions_by_company ON environment_versions USING btree (company_id, id);
CREATE INDEX environment_versions_by_source ON environment_versions USING btree (environment_id, source_digest) WHERE state = 'ready'::text;
CREATE INDEX environment_versions_handoffs ON environment_versions USING btree (handoff_since) WHERE handoff_since IS NOT NULL;
CREATE INDEX environment_versions_provisioning ON environment_versions USING btree (state_changed_at) WHERE state = 'regional_provisioning'::text;
CREATE INDEX environment_versions_retiring ON environment_versions USING btree (id) WHERE retiring_layer_digest IS NOT NULL;
CREATE INDEX environment_versions_retryable ON environment_versions USING btree (state_changed_at) WHERE state = 'retryable_failed'::text;
CREATE INDEX environment_versions_unreferenced ON environment_versions USING btree (unreferenced_since) WHERE unreferenced_since IS NOT NULL;
CREATE INDEX environment_versions_with_layer ON environment_versions USING btree (layer_digest) WHERE layer_digest IS NOT NULL;
CREATE TRIGGER audit_changes AFTER UPDATE OF isolation, build_cache, security_state, blocked_reason ON environment_versions FOR EACH ROW WHEN (true) EXECUTE FUNCTION record_row_change('environment_version', 'id', '');
CREATE TRIGGER count_kept_environments_delete AFTER DELETE ON environment_versions REFERENCING OLD TABLE AS olds FOR EACH STATEMENT EXECUTE FUNCTION count_kept('environments', '1536 + octet_length(source_ref) + coalesce(octet_length(image_config::text), 0)', 'company_id');
CREATE TRIGGER count_kept_environments_insert AFTER INSERT ON environment_versions REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('environments', '1536 + octet_length(source_ref) + coalesce(octet_length(image_config::text), 0)', 'company_id');
CREATE TRIGGER count_kept_environments_update AFTER UPDATE ON environment_versions REFERENCING OLD TABLE AS olds NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('environments', '1536 + octet_length(source_ref) + coalesce(octet_length(image_config::text), 0)', 'company_id');
CREATE TRIGGER count_kept_layer AFTER INSERT OR DELETE OR UPDATE OF layer_digest, retiring_layer_digest ON environment_versions FOR EACH ROW EXECUTE FUNCTION count_kept_layer();
CREATE TRIGGER keep_referred AFTER DELETE OR UPDATE OF id ON environment_versions FOR EACH ROW EXECUTE FUNCTION keep_referred('environment_version_id');

create table environments (
  id text not null,
  company_id text,
  owner_kind text not null,
  owner_scope text not null,
  owner_id text not null,
  name text not null,
  description text default ''::text not null,
  state text default 'active'::text not null,
  security_state text default 'clear'::text not null,
  current_version_id text,
  created_at timestamp with time zone default now() not null,
  vulnerabilities_revision integer default 0 not null,
  egress_allow_list jsonb,
  constraint environments_pkey PRIMARY KEY (id),
  constraint environments_check CHECK ((owner_kind = 'system_curated'::text) = (company_id IS NULL)),
  constraint environments_description_check CHECK (length(description) <= 2048),
  constraint environments_egress_allow_list_check CHECK (jsonb_typeof(egress_allow_list) = 'object'::text),
  constraint environments_name_check CHECK (length(name) >= 1 AND length(name) <= 256),
  constraint environments_owner_kind_check CHECK (owner_kind = ANY (ARRAY['system_curated'::text, 'company'::text])),
  constraint environments_owner_scope_check CHECK (owner_scope = ANY (ARRAY['company'::text, 'department'::text])),
  constraint environments_security_state_check CHECK (security_state = ANY (ARRAY['clear'::text, 'blocked'::text])),
  constraint environments_state_check CHECK (state = ANY (ARRAY['active'::text, 'archived'::text])),
  constraint environments_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);
CREATE INDEX environments_by_company ON environments USING btree (company_id, id);
CREATE UNIQUE INDEX environments_curated_names ON environments USING btree (name) WHERE owner_kind = 'system_curated'::text AND state = 'active'::text;
CREATE TRIGGER audit_changes AFTER INSERT OR DELETE OR UPDATE ON environments FOR EACH ROW WHEN (true) EXECUTE FUNCTION record_row_change('environment', 'id', 'vulnerabilities_revision');
CREATE TRIGGER count_kept_environments_delete AFTER DELETE ON environments REFERENCING OLD TABLE AS olds FOR EACH STATEMENT EXECUTE FUNCTION count_kept('environments', '768 + octet_length(name) + octet_length(description) + coalesce(octet_length(egress_allow_list::text), 0)', 'company_id');
CREATE TRIGGER count_kept_environments_insert AFTER INSERT ON environments REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('environments', '768 + octet_length(name) + octet_length(description) + coalesce(octet_length(egress_allow_list::text), 0)', 'company_id');
CREATE TRIGGER count_kept_environments_update AFTER UPDATE ON environments REFERENCING OLD TABLE AS olds NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('environments', '768 + octet_length(name) + octet_length(description) + coalesce(octet_length(egress_allow_list::text), 0)', 'company_id');

create table event_outbox (
  id bigint generated always as identity not null,
  company_id text not null,
  event text not null,
  subject_id text not null,
  count integer default 1 not null,
  written_by xid8 default pg_current_xact_id() not null,
  at timestamp with time zone default clock_timestamp() not null,
  constraint event_outbox_pkey PRIMARY KEY (id),
  constraint event_outbox_count_check CHECK (count >= 1)
);
CREATE UNIQUE INDEX event_outbox_scans ON event_outbox USING btree (subject_id, event, written_by) WHERE event ~~ 'security_finding_%'::text;
CREATE INDEX event_outbox_turns ON event_outbox USING btree (company_id, id);

create table executors (
  id text not null,
  folder text not null,
  boot text not null,
  place text not null,
  keys text[] not null,
  store text not null,
  worker text not null,
  capacity jsonb not null,
  lease_until timestamp with time zone not null,
  draining boolean default false not null,
  released boolean default false not null,
  agent_seen_at timestamp with time zone,
  held_since timestamp with time zone default clock_timestamp() not null,
  constraint executors_pkey PRIMARY KEY (id),
  constraint executors_boot_check CHECK (length(boot) >= 1 AND length(boot) <= 64),
  constraint executors_folder_check CHECK (length(folder) >= 1 AND length(folder) <= 64),
  constraint executors_id_check CHECK (id ~ '^[0-9a-f]{32}$'::text),
  constraint executors_place_check CHECK (length(place) >= 1 AND length(place) <= 512),
  constraint executors_store_check CHECK (length(store) >= 1 AND length(store) <= 1024),
  constraint executors_worker_check CHECK (length(worker) >= 1 AND length(worker) <= 64)
);

create table favorite_chatrooms (
  user_id text not null,
  chatroom_id text not null,
  company_id text not null,
  constraint favorite_chatrooms_pkey PRIMARY KEY (user_id, chatroom_id),
  constraint favorite_chatrooms_company_id_chatroom_id_fkey FOREIGN KEY (company_id, chatroom_id) REFERENCES chatrooms(company_id, id),
  constraint favorite_chatrooms_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint favorite_chatrooms_company_id_user_id_fkey FOREIGN KEY (company_id, user_id) REFERENCES users(company_id, id)
);
CREATE TRIGGER count_kept_directory_delete AFTER DELETE ON favorite_chatrooms REFERENCING OLD TABLE AS olds FOR EACH STATEMENT EXECUTE FUNCTION count_kept('directory', '384', 'company_id');
CREATE TRIGGER count_kept_directory_insert AFTER INSERT ON favorite_chatrooms REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('directory', '384', 'company_id');

create table gateway_keys (
  id text not null,
  company_id text not null,
  name text not null,
  key_hash bytea not null,
  pepper integer not null,
  created_at timestamp with time zone default now() not null,
  revoked_at timestamp with time zone,
  last_used_at timestamp with time zone,
  constraint gateway_keys_pkey PRIMARY KEY (id),
  constraint gateway_keys_key_hash_key UNIQUE (key_hash),
  constraint gateway_keys_key_hash_check CHECK (octet_length(key_hash) = 32),
  constraint gateway_keys_name_check CHECK (length(name) >= 1 AND length(name) <= 256),
  constraint gateway_keys_pepper_check CHECK (pepper >= 0 AND pepper <= 999999),
  constraint gateway_keys_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);
CREATE UNIQUE INDEX gateway_keys_live_name ON gateway_keys USING btree (company_id, name) WHERE revoked_at IS NULL;
CREATE TRIGGER audit_changes AFTER INSERT OR DELETE OR UPDATE ON gateway_keys FOR EACH ROW WHEN (true) EXECUTE FUNCTION record_row_change('gateway_key', 'id', 'last_used_at,pepper,key_hash');

create table host_image_removals (
  executor text not null,
  layer_digest text not null,
  constraint host_image_removals_pkey PRIMARY KEY (executor, layer_digest)
);

create table idempotency_keys (
  company_id text not null,
  principal_id text not null,
  route text not null,
  key text not null,
  request_hash text not null,
  response json,
  created_at timestamp with time zone default now() not null,
  run_id text,
  constraint idempotency_keys_pkey PRIMARY KEY (company_id, principal_id, route, key),
  constraint idempotency_keys_key_check CHECK (length(key) >= 1 AND length(key) <= 128)
);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys USING btree (created_at);
CREATE TRIGGER count_kept_requests_delete AFTER DELETE ON idempotency_keys REFERENCING OLD TABLE AS olds FOR EACH STATEMENT EXECUTE FUNCTION count_kept_idempotency_keys('requests', 'case when run_id is null then 512 + 2 * octet_length(key) + coalesce(octet_length(response::text), 0) else 0 end', 'company_id');
CREATE TRIGGER count_kept_requests_insert AFTER INSERT ON idempotency_keys REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept_idempotency_keys('requests', 'case when run_id is null then 512 + 2 * octet_length(key) + coalesce(octet_length(response::text), 0) else 0 end', 'company_id');
CREATE TRIGGER count_kept_requests_update AFTER UPDATE ON idempotency_keys REFERENCING OLD TABLE AS olds NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept_idempotency_keys('requests', 'case when run_id is null then 512 + 2 * octet_length(key) + coalesce(octet_length(response::text), 0) else 0 end', 'company_id');

create table input_files (
  id text not null,
  company_id text not null,
  chatroom_id text not null,
  principal_type text not null,
  principal_id text not null,
  api_key_id text,
  name text not null,
  media_type text not null,
  storage_key text not null,
  byte_size bigint not null,
  digest text not null,
  created_at timestamp with time zone default now() not null,
  look_at timestamp with time zone not null,
  constraint input_files_pkey PRIMARY KEY (id),
  constraint input_files_storage_key_key UNIQUE (storage_key),
  constraint input_files_byte_size_check CHECK (byte_size >= 0),
  constraint input_files_digest_check CHECK (digest ~ '^sha256:[0-9a-f]{64}$'::text),
  constraint input_files_media_type_check CHECK (length(media_type) >= 3 AND length(media_type) <= 127),
  constraint input_files_name_check CHECK (octet_length(name) >= 1 AND octet_length(name) <= 255),
  constraint input_files_principal_type_check CHECK (principal_type = ANY (ARRAY['user'::text, 'social_media_client'::text])),
  constraint input_files_company_id_chatroom_id_fkey FOREIGN KEY (company_id, chatroom_id) REFERENCES chatrooms(company_id, id),
  constraint input_files_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);
CREATE INDEX input_files_by_room ON input_files USING btree (chatroom_id, id);
CREATE INDEX input_files_to_look_at ON input_files USING btree (look_at);
CREATE TRIGGER audit_changes AFTER INSERT OR DELETE OR UPDATE ON input_files FOR EACH ROW WHEN (true) EXECUTE FUNCTION record_row_change('input_file', 'id', 'look_at');
CREATE TRIGGER count_kept_input_files_delete AFTER DELETE ON input_files REFERENCING OLD TABLE AS olds FOR EACH STATEMENT EXECUTE FUNCTION count_kept('input_files', '4096 + byte_size', 'company_id');
CREATE TRIGGER count_kept_input_files_insert AFTER INSERT ON input_files REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('input_files', '4096 + byte_size', 'company_id');

create table kept_byte_changes (
  company_id text not null,
  kind text not null,
  bytes bigint not null,
  constraint kept_byte_changes_bytes_check CHECK (bytes <> 0)
);
CREATE INDEX kept_byte_changes_by_company ON kept_byte_changes USING btree (company_id);

create table kept_bytes (
  company_id text not null,
  kind text not null,
  bytes bigint not null,
  constraint kept_bytes_pkey PRIMARY KEY (company_id, kind)
);

create table kept_images (
  company_id text not null,
  layer_digest text not null,
  versions integer not null,
  byte_size bigint not null,
  constraint kept_images_pkey PRIMARY KEY (company_id, layer_digest),
  constraint kept_images_byte_size_check CHECK (byte_size >= 0),
  constraint kept_images_versions_check CHECK (versions >= 0),
  constraint kept_images_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);
CREATE TRIGGER count_kept_images_delete AFTER DELETE ON kept_images REFERENCING OLD TABLE AS olds FOR EACH STATEMENT EXECUTE FUNCTION count_kept('images', 'byte_size', 'company_id');
CREATE TRIGGER count_kept_images_insert AFTER INSERT ON kept_images REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('images', 'byte_size', 'company_id');
CREATE TRIGGER count_kept_images_update AFTER UPDATE ON kept_images REFERENCING OLD TABLE AS olds NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('images', 'byte_size', 'company_id');

create table kill_switch (
  single boolean default true not null,
  stopped_at timestamp with time zone default now() not null,
  constraint kill_switch_pkey PRIMARY KEY (single),
  constraint kill_switch_single_check CHECK (single)
);
CREATE TRIGGER audit_changes AFTER INSERT OR DELETE OR UPDATE ON kill_switch FOR EACH ROW WHEN (true) EXECUTE FUNCTION record_row_change('kill_switch', 'single', '');

create unlogged table live_logs (
  subject_id text not null,
  company_id text not null,
  wanted_until timestamp with time zone not null,
  start bigint default 0 not null,
  bytes bytea default '\x'::bytea not null,
  constraint live_logs_pkey PRIMARY KEY (subject_id),
  constraint live_logs_bytes_check CHECK (length(bytes) <= 262144),
  constraint live_logs_start_check CHECK (start >= 0)
);
CREATE INDEX live_logs_wanted ON live_logs USING btree (wanted_until);

create table live_run_changes (
  company_id text not null,
  chatroom_id text not null,
  executor text not null,
  resource_profile text not null,
  runs integer not null,
  constraint live_run_changes_runs_check CHECK (runs = ANY (ARRAY['-1'::integer, 1]))
);
CREATE INDEX live_run_changes_by_company ON live_run_changes USING btree (company_id);

create table live_run_counts (
  company_id text not null,
  chatroom_id text not null,
  executor text not null,
  resource_profile text not null,
  runs bigint not null,
  constraint live_run_counts_pkey PRIMARY KEY (company_id, chatroom_id, executor, resource_profile)
);
CREATE INDEX live_run_counts_of_companies ON live_run_counts USING btree (company_id) WHERE chatroom_id = ''::text;
CREATE INDEX live_run_counts_unused ON live_run_counts USING btree (company_id) WHERE runs = 0;

create table login_addresses (
  user_id text not null,
  company_id text not null,
  address_key bytea not null,
  seen_at timestamp with time zone not null,
  constraint login_addresses_pkey PRIMARY KEY (user_id, address_key),
  constraint login_addresses_address_key_check CHECK (length(address_key) = 32),
  constraint login_addresses_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id) ON DELETE CASCADE,
  constraint login_addresses_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE TRIGGER audit_changes AFTER INSERT ON login_addresses FOR EACH ROW WHEN (true) EXECUTE FUNCTION record_row_change('login_address', 'user_id', '');

create table login_attempts (
  bucket_key bytea not null,
  full_at timestamp with time zone not null,
  constraint login_attempts_pkey PRIMARY KEY (bucket_key),
  constraint login_attempts_bucket_key_check CHECK (length(bucket_key) = 32)
);
CREATE INDEX login_attempts_full ON login_attempts USING btree (full_at);

create table mail_deliveries (
  id text not null,
  company_id text not null,
  user_id text not null,
  source text not null,
  event text not null,
  subject text not null,
  body text not null,
  lane text default 'first'::text not null,
  attempts integer default 0 not null,
  due_at timestamp with time zone not null,
  give_up_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  attempted_at timestamp with time zone,
  status integer,
  error text,
  outcome text,
  worker text,
  constraint mail_deliveries_pkey PRIMARY KEY (id),
  constraint mail_deliveries_user_id_source_key UNIQUE (user_id, source),
  constraint mail_deliveries_attempts_check CHECK (attempts >= 0),
  constraint mail_deliveries_body_check CHECK (octet_length(body) <= 8192),
  constraint mail_deliveries_lane_check CHECK (lane = ANY (ARRAY['first'::text, 'retry'::text])),
  constraint mail_deliveries_outcome_check CHECK (outcome = ANY (ARRAY['sent'::text, 'refused'::text, 'failed'::text, 'dropped'::text])),
  constraint mail_deliveries_subject_check CHECK (length(subject) >= 1 AND length(subject) <= 512),
  constraint mail_deliveries_company_id_user_id_fkey FOREIGN KEY (company_id, user_id) REFERENCES users(company_id, id)
);
CREATE INDEX mail_deliveries_age ON mail_deliveries USING btree (created_at);
CREATE INDEX mail_deliveries_due ON mail_deliveries USING btree (lane, company_id, due_at) WHERE outcome IS NULL;
CREATE INDEX mail_deliveries_of ON mail_deliveries USING btree (user_id, created_at);
CREATE INDEX mail_deliveries_waiting ON mail_deliveries USING btree (company_id) WHERE outcome IS NULL;

create table mail_preferences (
  user_id text not null,
  company_id text not null,
  muted text[] not null,
  constraint mail_preferences_pkey PRIMARY KEY (user_id),
  constraint mail_preferences_company_id_user_id_fkey FOREIGN KEY (company_id, user_id) REFERENCES users(company_id, id)
);
CREATE TRIGGER audit_changes AFTER INSERT OR DELETE OR UPDATE ON mail_preferences FOR EACH ROW WHEN (true) EXECUTE FUNCTION record_row_change('mail_preferences', 'user_id', '');

create table notifications (
  id text not null,
  place bigint generated always as identity not null,
  company_id text not null,
  user_id text not null,
  source text not null,
  event text not null,
  title text not null,
  deep_link text not null,
  subject_type text not null,
  subject_id text,
  chatroom_id text,
  count integer default 1 not null,
  created_at timestamp with time zone not null,
  read_at timestamp with time zone,
  constraint notifications_pkey PRIMARY KEY (id),
  constraint notifications_user_id_source_key UNIQUE (user_id, source),
  constraint notifications_count_check CHECK (count >= 1),
  constraint notifications_deep_link_check CHECK (length(deep_link) >= 1 AND length(deep_link) <= 512),
  constraint notifications_title_check CHECK (length(title) >= 1 AND length(title) <= 512),
  constraint notifications_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint notifications_company_id_user_id_fkey FOREIGN KEY (company_id, user_id) REFERENCES users(company_id, id)
);
CREATE INDEX notifications_age ON notifications USING btree (created_at);
CREATE INDEX notifications_by_user ON notifications USING btree (user_id, place DESC);
CREATE INDEX notifications_unread ON notifications USING btree (user_id, place DESC) WHERE read_at IS NULL;
CREATE TRIGGER audit_changes AFTER UPDATE OF read_at ON notifications FOR EACH ROW WHEN (true) EXECUTE FUNCTION record_row_change('notification', 'id', '');
CREATE TRIGGER notify_of_notification AFTER INSERT ON notifications REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION notify_of_notification();
CREATE TRIGGER notify_of_read_notification AFTER UPDATE ON notifications REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION notify_of_notification();

create table oauth_grants (
  id text not null,
  company_id text not null,
  user_id text not null,
  chatroom_id text not null,
  client_name text not null,
  client_hash bytea not null,
  credential_generation integer not null,
  refresh_sequence integer default 1 not null,
  created_at timestamp with time zone not null,
  refreshed_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  revoked_at timestamp with time zone,
  constraint oauth_grants_pkey PRIMARY KEY (id),
  constraint oauth_grants_client_hash_check CHECK (octet_length(client_hash) = 32),
  constraint oauth_grants_client_name_check CHECK (length(client_name) >= 1 AND length(client_name) <= 1024),
  constraint oauth_grants_refresh_sequence_check CHECK (refresh_sequence >= 1),
  constraint oauth_grants_company_id_chatroom_id_fkey FOREIGN KEY (company_id, chatroom_id) REFERENCES chatrooms(company_id, id),
  constraint oauth_grants_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint oauth_grants_company_id_user_id_fkey FOREIGN KEY (company_id, user_id) REFERENCES users(company_id, id)
);
CREATE INDEX oauth_grants_by_user ON oauth_grants USING btree (company_id, user_id, created_at);
CREATE INDEX oauth_grants_expiry ON oauth_grants USING btree (expires_at);
CREATE TRIGGER audit_changes AFTER INSERT OR DELETE OR UPDATE ON oauth_grants FOR EACH ROW WHEN (true) EXECUTE FUNCTION record_row_change('oauth_grant', 'id', 'refresh_sequence,refreshed_at,expires_at');

create table operator_acts (
  sequence bigint not null,
  done_at timestamp with time zone default clock_timestamp() not null,
  account text not null,
  act text not null,
  subject text not null,
  details jsonb not null,
  hash text not null,
  constraint operator_acts_pkey PRIMARY KEY (sequence),
  constraint operator_acts_account_check CHECK (length(account) >= 1 AND length(account) <= 256),
  constraint operator_acts_act_check CHECK (act ~ '^[a-z_]{1,64}$'::text),
  constraint operator_acts_hash_check CHECK (hash ~ '^[0-9a-f]{64}$'::text),
  constraint operator_acts_subject_check CHECK (length(subject) <= 256)
);
CREATE TRIGGER audit_changes AFTER INSERT ON operator_acts FOR EACH ROW WHEN (true) EXECUTE FUNCTION record_row_change('operator_act', 'sequence', '');
CREATE TRIGGER operator_acts_chained BEFORE INSERT ON operator_acts FOR EACH ROW EXECUTE FUNCTION chain_operator_act();
CREATE TRIGGER operator_acts_kept BEFORE DELETE OR UPDATE OR TRUNCATE ON operator_acts FOR EACH STATEMENT EXECUTE FUNCTION keep_operator_acts();

create table operator_codes (
  code_hash bytea not null,
  account text not null,
  expires_at timestamp with time zone not null,
  access text not null,
  constraint operator_codes_pkey PRIMARY KEY (code_hash),
  constraint operator_codes_access_check CHECK (access = ANY (ARRAY['full'::text, 'read_only'::text])),
  constraint operator_codes_account_check CHECK (length(account) >= 1 AND length(account) <= 256),
  constraint operator_codes_code_hash_check CHECK (octet_length(code_hash) = 32)
);

create table operator_sign_ins (
  token_hash bytea not null,
  account text not null,
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  access text not null,
  constraint operator_sign_ins_pkey PRIMARY KEY (token_hash),
  constraint operator_sign_ins_access_check CHECK (access = ANY (ARRAY['full'::text, 'read_only'::text])),
  constraint operator_sign_ins_account_check CHECK (length(account) >= 1 AND length(account) <= 256),
  constraint operator_sign_ins_token_hash_check CHECK (octet_length(token_hash) = 32)
);

create table owned_objects (
  id text not null,
  company_id text not null,
  environment_id text,
  object_kind text not null,
  archive_format text,
  storage_key text not null,
  byte_size bigint not null,
  digest text not null,
  deletion_state text default 'active'::text not null,
  created_at timestamp with time zone default now() not null,
  expires_at timestamp with time zone,
  build_attempt_id text,
  constraint owned_objects_pkey PRIMARY KEY (id),
  constraint owned_objects_storage_key_key UNIQUE (storage_key),
  constraint owned_objects_check CHECK ((object_kind = 'report'::text) = (build_attempt_id IS NOT NULL)),
  constraint owned_objects_deletion_state_check CHECK (deletion_state = ANY (ARRAY['active'::text, 'delete_pending'::text, 'deleted'::text, 'tombstoned'::text])),
  constraint owned_objects_digest_check CHECK (digest ~ '^sha256:[0-9a-f]{64}$'::text),
  constraint owned_objects_object_kind_check CHECK (object_kind = ANY (ARRAY['context'::text, 'input'::text, 'output'::text, 'log'::text, 'artifact_bundle'::text, 'report'::text])),
  constraint owned_objects_build_attempt_id_fkey FOREIGN KEY (build_attempt_id) REFERENCES build_attempts(id),
  constraint owned_objects_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint owned_objects_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id)
);
CREATE INDEX owned_objects_by_environment ON owned_objects USING btree (environment_id, id);
CREATE INDEX owned_objects_reports ON owned_objects USING btree (id) WHERE object_kind = 'report'::text AND (deletion_state = ANY (ARRAY['active'::text, 'delete_pending'::text]));
CREATE TRIGGER count_kept_archives_delete AFTER DELETE ON owned_objects REFERENCING OLD TABLE AS olds FOR EACH STATEMENT EXECUTE FUNCTION count_kept('archives', 'case when object_kind = ''context'' and deletion_state in (''active'', ''delete_pending'') then byte_size else 0 end', 'company_id');
CREATE TRIGGER count_kept_archives_insert AFTER INSERT ON owned_objects REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('archives', 'case when object_kind = ''context'' and deletion_state in (''active'', ''delete_pending'') then byte_size else 0 end', 'company_id');
CREATE TRIGGER count_kept_archives_update AFTER UPDATE ON owned_objects REFERENCING OLD TABLE AS olds NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('archives', 'case when object_kind = ''context'' and deletion_state in (''active'', ''delete_pending'') then byte_size else 0 end', 'company_id');
CREATE TRIGGER count_kept_reports_delete AFTER DELETE ON owned_objects REFERENCING OLD TABLE AS olds FOR EACH STATEMENT EXECUTE FUNCTION count_kept('reports', 'case when object_kind <> ''context'' and deletion_state in (''active'', ''delete_pending'') then byte_size else 0 end', 'company_id');
CREATE TRIGGER count_kept_reports_insert AFTER INSERT ON owned_objects REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('reports', 'case when object_kind <> ''context'' and deletion_state in (''active'', ''delete_pending'') then byte_size else 0 end', 'company_id');
CREATE TRIGGER count_kept_reports_update AFTER UPDATE ON owned_objects REFERENCING OLD TABLE AS olds NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('reports', 'case when object_kind <> ''context'' and deletion_state in (''active'', ''delete_pending'') then byte_size else 0 end', 'company_id');

create table price_lists (
  id bigint generated always as identity not null,
  currency text not null,
  rate_version text not null,
  bound_version text not null,
  minimum_billed_seconds integer not null,
  finalization_seconds integer not null,
  outbound_reservation_bytes bigint not null,
  applied_at timestamp with time zone default now() not null,
  inbound_reservation_bytes bigint default 0 not null,
  constraint price_lists_pkey PRIMARY KEY (id),
  constraint price_lists_bound_version_check CHECK (length(bound_version) >= 1 AND length(bound_version) <= 64),
  constraint price_lists_currency_check CHECK (currency = 'USD'::text),
  constraint price_lists_finalization_seconds_check CHECK (finalization_seconds >= 0 AND finalization_seconds <= 86400),
  constraint price_lists_inbound_reservation_bytes_check CHECK (inbound_reservation_bytes >= 0 AND inbound_reservation_bytes <= '9007199254740991'::bigint),
  constraint price_lists_minimum_billed_seconds_check CHECK (minimum_billed_seconds >= 0 AND minimum_billed_seconds <= 86400),
  constraint price_lists_outbound_reservation_bytes_check CHECK (outbound_reservation_bytes >= 0),
  constraint price_lists_rate_version_check CHECK (length(rate_version) >= 1 AND length(rate_version) <= 64)
);
CREATE TRIGGER audit_changes AFTER INSERT OR DELETE OR UPDATE ON price_lists FOR EACH ROW WHEN (true) EXECUTE FUNCTION record_row_change('price_list', 'id', '');

create table prices (
  list_id bigint not null,
  kind text not null,
  profile text not null,
  region text not null,
  place integer not null,
  per_second_micro bigint not null,
  ingress_per_gib_micro bigint not null,
  egress_per_gib_micro bigint not null,
  constraint prices_pkey PRIMARY KEY (list_id, kind, profile, region),
  constraint prices_egress_per_gib_micro_check CHECK (egress_per_gib_micro >= 0 AND egress_per_gib_micro <= '1000000000000'::bigint),
  constraint prices_ingress_per_gib_micro_check CHECK (ingress_per_gib_micro >= 0 AND ingress_per_gib_micro <= '1000000000000'::bigint),
  constraint prices_kind_check CHECK (kind = ANY (ARRAY['run'::text, 'build'::text])),
  constraint prices_per_second_micro_check CHECK (per_second_micro >= 0 AND per_second_micro <= '1000000000000'::bigint),
  constraint prices_list_id_fkey FOREIGN KEY (list_id) REFERENCES price_lists(id)
);

create unlogged table process_metrics (
  executor text not null,
  process text not null,
  reported_at timestamp with time zone default now() not null,
  metrics json not null,
  constraint process_metrics_pkey PRIMARY KEY (executor, process),
  constraint process_metrics_process_check CHECK (process = ANY (ARRAY['worker'::text, 'builds'::text, 'backups'::text]))
);

create table public_links (
  id text not null,
  company_id text not null,
  run_id text not null,
  object_kind text not null,
  artifact_id text,
  token_hash bytea not null,
  created_by text not null,
  created_at timestamp with time zone default now() not null,
  revoked_at timestamp with time zone,
  constraint public_links_pkey PRIMARY KEY (id),
  constraint public_links_token_hash_key UNIQUE (token_hash),
  constraint public_links_check CHECK ((object_kind = 'artifact'::text) = (artifact_id IS NOT NULL)),
  constraint public_links_object_kind_check CHECK (object_kind = ANY (ARRAY['log'::text, 'output'::text, 'artifact'::text])),
  constraint public_links_artifact_id_fkey FOREIGN KEY (artifact_id) REFERENCES run_artifacts(id),
  constraint public_links_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint public_links_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs(id)
);
CREATE UNIQUE INDEX public_links_one_live ON public_links USING btree (run_id, object_kind, COALESCE(artifact_id, ''::text)) WHERE revoked_at IS NULL;
CREATE TRIGGER audit_changes AFTER INSERT OR DELETE OR UPDATE ON public_links FOR EACH ROW WHEN (true) EXECUTE FUNCTION record_row_change('public_link', 'id', '');

create table pulled_images (
  scope text not null,
  digest text not null,
  object_digest text not null,
  byte_size bigint not null,
  used_at timestamp with time zone default now() not null,
  pulled_by text,
  constraint pulled_images_pkey PRIMARY KEY (scope, digest),
  constraint pulled_images_byte_size_check CHECK (byte_size > 0),
  constraint pulled_images_digest_check CHECK (digest ~ '^sha256:[0-9a-f]{64}$'::text),
  constraint pulled_images_object_digest_check CHECK (object_digest ~ '^sha256:[0-9a-f]{64}$'::text),
  constraint pulled_images_pulled_by_fkey FOREIGN KEY (pulled_by) REFERENCES companies(id)
);
CREATE INDEX pulled_images_age ON pulled_images USING btree (used_at);
CREATE TRIGGER count_kept_base_images_delete AFTER DELETE ON pulled_images REFERENCING OLD TABLE AS olds FOR EACH STATEMENT EXECUTE FUNCTION count_kept('base_images', 'byte_size', 'pulled_by');
CREATE TRIGGER count_kept_base_images_insert AFTER INSERT ON pulled_images REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('base_images', 'byte_size', 'pulled_by');
CREATE TRIGGER count_kept_base_images_update AFTER UPDATE ON pulled_images REFERENCING OLD TABLE AS olds NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('base_images', 'byte_size', 'pulled_by');

create table queue_turns (
  company_id text not null,
  served_at timestamp with time zone,
  since timestamp with time zone default clock_timestamp() not null,
  constraint queue_turns_pkey PRIMARY KEY (company_id)
);
CREATE INDEX queue_turns_order ON queue_turns USING btree (served_at NULLS FIRST, since);

create table removal_failures (
  thing text not null,
  attempts integer not null,
  next_at timestamp with time zone not null,
  constraint removal_failures_pkey PRIMARY KEY (thing),
  constraint removal_failures_attempts_check CHECK (attempts >= 1)
);
CREATE INDEX removal_failures_age ON removal_failures USING btree (next_at);

create table room_messages (
  id text not null,
  company_id text not null,
  chatroom_id text not null,
  sequence bigint not null,
  principal_type text not null,
  principal_id text not null,
  gateway_key_id text,
  text text not null,
  created_at timestamp with time zone default now() not null,
  run_id text,
  constraint room_messages_pkey PRIMARY KEY (id),
  constraint room_messages_chatroom_id_sequence_key UNIQUE (chatroom_id, sequence),
  constraint room_messages_of_service CHECK ((principal_type = 'system'::text) = (run_id IS NOT NULL)),
  constraint room_messages_principal_type_check CHECK (principal_type = ANY (ARRAY['user'::text, 'social_media_client'::text, 'system'::text])),
  constraint room_messages_sequence_check CHECK (sequence >= 1),
  constraint room_messages_text_check CHECK (length(text) >= 1 AND length(text) <= 16384),
  constraint room_messages_company_id_chatroom_id_fkey FOREIGN KEY (company_id, chatroom_id) REFERENCES chatrooms(company_id, id),
  constraint room_messages_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);
CREATE INDEX room_messages_age ON room_messages USING btree (created_at);
CREATE UNIQUE INDEX room_messages_one_end ON room_messages USING btree (run_id) WHERE run_id IS NOT NULL;
CREATE TRIGGER audit_changes AFTER INSERT ON room_messages FOR EACH ROW WHEN (true) EXECUTE FUNCTION record_row_change('message', 'id', '');
CREATE TRIGGER count_kept_messages_delete AFTER DELETE ON room_messages REFERENCING OLD TABLE AS olds FOR EACH STATEMENT EXECUTE FUNCTION count_kept_room_messages('messages', '1024 + octet_length(text)', 'company_id');
CREATE TRIGGER count_kept_messages_insert AFTER INSERT ON room_messages REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept_room_messages('messages', '1024 + octet_length(text)', 'company_id');

create table room_sequences (
  chatroom_id text not null,
  company_id text not null,
  last_sequence bigint not null,
  constraint room_sequences_pkey PRIMARY KEY (chatroom_id),
  constraint room_sequences_last_sequence_check CHECK (last_sequence >= 1),
  constraint room_sequences_company_id_chatroom_id_fkey FOREIGN KEY (company_id, chatroom_id) REFERENCES chatrooms(company_id, id)
);

create table run_artifacts (
  id text not null,
  run_id text not null,
  company_id text not null,
  relative_path text not null,
  path_hash text not null,
  bundle_offset bigint not null,
  byte_size bigint not null,
  digest text not null,
  deletion_state text default 'active'::text not null,
  declared_content_type text not null,
  modified_at timestamp with time zone,
  constraint run_artifacts_pkey PRIMARY KEY (id),
  constraint run_artifacts_run_id_relative_path_key UNIQUE (run_id, relative_path),
  constraint run_artifacts_deletion_state_check CHECK (deletion_state = ANY (ARRAY['active'::text, 'delete_pending'::text, 'deleted'::text, 'tombstoned'::text])),
  constraint run_artifacts_relative_path_check CHECK (length(relative_path) >= 1 AND length(relative_path) <= 1024),
  constraint run_artifacts_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint run_artifacts_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs(id)
);
CREATE TRIGGER count_kept_artifacts_delete AFTER DELETE ON run_artifacts REFERENCING OLD TABLE AS olds FOR EACH STATEMENT EXECUTE FUNCTION count_kept_run_artifacts('artifacts', '512 + 2 * octet_length(relative_path)', 'company_id');
CREATE TRIGGER count_kept_artifacts_insert AFTER INSERT ON run_artifacts REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept_run_artifacts('artifacts', '512 + 2 * octet_length(relative_path)', 'company_id');

create table run_contents (
  run_id text not null,
  company_id text not null,
  state text default 'active'::text not null,
  output_key text,
  output_bytes bigint,
  output_digest text,
  log_key text,
  log_bytes bigint,
  log_digest text,
  bundle_key text,
  bundle_bytes bigint,
  created_at timestamp with time zone default now() not null,
  refused_rule text,
  refused_path text,
  constraint run_contents_pkey PRIMARY KEY (run_id),
  constraint run_contents_refused_check CHECK (length(refused_rule) >= 1 AND length(refused_rule) <= 31 AND (refused_path IS NULL OR refused_rule IS NOT NULL AND length(refused_path) >= 1 AND length(refused_path) <= 300)),
  constraint run_contents_state_check CHECK (state = ANY (ARRAY['active'::text, 'delete_pending'::text, 'tombstoned'::text])),
  constraint run_contents_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint run_contents_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs(id)
);
CREATE INDEX run_contents_pending ON run_contents USING btree (run_id) WHERE state = 'delete_pending'::text;
CREATE TRIGGER audit_changes AFTER UPDATE OF state ON run_contents FOR EACH ROW WHEN (true) EXECUTE FUNCTION record_row_change('run_content', 'run_id', '');
CREATE TRIGGER count_kept_delete AFTER DELETE ON run_contents REFERENCING OLD TABLE AS olds FOR EACH STATEMENT EXECUTE FUNCTION count_kept_run_contents();
CREATE TRIGGER count_kept_insert AFTER INSERT ON run_contents REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept_run_contents();
CREATE TRIGGER count_kept_update AFTER UPDATE ON run_contents REFERENCING OLD TABLE AS olds NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept_run_contents();

create table run_count_changes (
  place bigint generated always as identity not null,
  company_id text not null,
  task_id text not null,
  chatroom_id text not null,
  principal_type text not null,
  submission_source text not null,
  state text not null,
  runs bigint not null,
  day date not null,
  constraint run_count_changes_pkey PRIMARY KEY (place)
);
CREATE INDEX run_count_changes_by_company ON run_count_changes USING btree (company_id);

create table run_counts (
  company_id text not null,
  task_id text not null,
  chatroom_id text not null,
  principal_type text not null,
  submission_source text not null,
  state text not null,
  runs bigint not null,
  day date not null,
  constraint run_counts_pkey PRIMARY KEY (company_id, task_id, day, chatroom_id, principal_type, submission_source, state)
);

create table run_end_requests (
  id bigint generated always as identity not null,
  company_id text not null,
  run_id text,
  requested_at timestamp with time zone default clock_timestamp() not null,
  account text not null,
  constraint run_end_requests_pkey PRIMARY KEY (id),
  constraint run_end_requests_company_id_run_id_key UNIQUE NULLS NOT DISTINCT (company_id, run_id),
  constraint run_end_requests_account_check CHECK (length(account) >= 1 AND length(account) <= 256),
  constraint run_end_requests_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);

create table run_files (
  run_id text not null,
  company_id text not null,
  place integer not null,
  name text not null,
  byte_size bigint not null,
  digest text not null,
  file_id text,
  source_run_id text,
  artifact_id text,
  constraint run_files_pkey PRIMARY KEY (run_id, place),
  constraint run_files_run_id_name_key UNIQUE (run_id, name),
  constraint run_files_byte_size_check CHECK (byte_size >= 0),
  constraint run_files_check CHECK ((file_id IS NULL) = (source_run_id IS NOT NULL)),
  constraint run_files_check1 CHECK ((file_id IS NULL) = (artifact_id IS NOT NULL)),
  constraint run_files_name_check CHECK (octet_length(name) >= 1 AND octet_length(name) <= 255),
  constraint run_files_place_check CHECK (place >= 0 AND place <= 31)
);
CREATE INDEX run_files_by_file ON run_files USING btree (file_id) WHERE file_id IS NOT NULL;
CREATE INDEX run_files_by_source ON run_files USING btree (source_run_id) WHERE source_run_id IS NOT NULL;
CREATE TRIGGER count_kept_metadata_delete AFTER DELETE ON run_files REFERENCING OLD TABLE AS olds FOR EACH STATEMENT EXECUTE FUNCTION count_kept_run_files('metadata', '256 + octet_length(name)', 'company_id');
CREATE TRIGGER count_kept_metadata_insert AFTER INSERT ON run_files REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept_run_files('metadata', '256 + octet_length(name)', 'company_id');

create table run_inputs (
  run_id text not null,
  company_id text not null,
  content bytea not null,
  constraint run_inputs_pkey PRIMARY KEY (run_id),
  constraint run_inputs_content_check CHECK (length(content) <= 1048576)
);
CREATE TRIGGER count_kept_delete AFTER DELETE ON run_inputs REFERENCING OLD TABLE AS olds FOR EACH STATEMENT EXECUTE FUNCTION count_kept_run_inputs();
CREATE TRIGGER count_kept_insert AFTER INSERT ON run_inputs REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept_run_inputs();
CREATE TRIGGER count_kept_update AFTER UPDATE ON run_inputs REFERENCING OLD TABLE AS olds NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept_run_inputs();

create table run_metadata (
  run_id text not null,
  company_id text not null,
  chatroom_id text not null,
  key text not null,
  value text not null,
  queued_at timestamp with time zone not null,
  constraint run_metadata_pkey PRIMARY KEY (run_id, key),
  constraint run_metadata_key_check CHECK (length(key) >= 1 AND length(key) <= 64),
  constraint run_metadata_value_check CHECK (length(value) >= 1 AND length(value) <= 512)
);
CREATE INDEX run_metadata_by_value ON run_metadata USING btree (chatroom_id, key, value, queued_at DESC, run_id DESC);
CREATE TRIGGER count_kept_metadata_delete AFTER DELETE ON run_metadata REFERENCING OLD TABLE AS olds FOR EACH STATEMENT EXECUTE FUNCTION count_kept_run_metadata('metadata', '256 + octet_length(key) + octet_length(value)', 'company_id');
CREATE TRIGGER count_kept_metadata_insert AFTER INSERT ON run_metadata REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept_run_metadata('metadata', '256 + octet_length(key) + octet_length(value)', 'company_id');

create table run_output_credentials (
  run_id text not null,
  company_id text not null,
  fence bigint not null,
  token_id text not null,
  secret_hash bytea not null,
  created_at timestamp with time zone default now() not null,
  expires_at timestamp with time zone not null,
  effects integer default 0 not null,
  constraint run_output_credentials_pkey PRIMARY KEY (run_id),
  constraint run_output_credentials_token_id_key UNIQUE (token_id),
  constraint run_output_credentials_effects_check CHECK (effects >= 0),
  constraint run_output_credentials_secret_hash_check CHECK (octet_length(secret_hash) = 32),
  constraint run_output_credentials_token_id_check CHECK (token_id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'::text),
  constraint run_output_credentials_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint run_output_credentials_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs(id) ON DELETE CASCADE
);
CREATE INDEX run_output_credentials_age ON run_output_credentials USING btree (expires_at);

create table run_output_effects (
  run_id text not null,
  company_id text not null,
  effect_key text not null,
  request_hash text not null,
  response jsonb not null,
  created_at timestamp with time zone default now() not null,
  constraint run_output_effects_pkey PRIMARY KEY (run_id, effect_key),
  constraint run_output_effects_effect_key_check CHECK (length(effect_key) >= 1 AND length(effect_key) <= 192),
  constraint run_output_effects_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);
CREATE INDEX run_output_effects_age ON run_output_effects USING btree (created_at);

create table run_refusals (
  run_id text not null,
  company_id text not null,
  entries jsonb not null,
  more bigint not null,
  constraint run_refusals_pkey PRIMARY KEY (run_id),
  constraint run_refusals_entries_check CHECK (jsonb_typeof(entries) = 'array'::text AND jsonb_array_length(entries) <= 200),
  constraint run_refusals_more_check CHECK (more >= 0),
  constraint run_refusals_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint run_refusals_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs(id)
);
CREATE TRIGGER count_kept_refusals_delete AFTER DELETE ON run_refusals REFERENCING OLD TABLE AS olds FOR EACH STATEMENT EXECUTE FUNCTION count_kept_run_refusals('refusals', 'octet_length(entries::text)', 'company_id');
CREATE TRIGGER count_kept_refusals_insert AFTER INSERT ON run_refusals REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept_run_refusals('refusals', 'octet_length(entries::text)', 'company_id');

create table run_secret_pins (
  run_id text not null,
  company_id text not null,
  fence bigint not null,
  pins jsonb not null,
  pinned_at timestamp with time zone default now() not null,
  constraint run_secret_pins_pkey PRIMARY KEY (run_id),
  constraint run_secret_pins_pins_check CHECK (jsonb_typeof(pins) = 'object'::text),
  constraint run_secret_pins_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs(id) ON DELETE CASCADE
);
CREATE TRIGGER audit_changes AFTER INSERT OR DELETE OR UPDATE ON run_secret_pins FOR EACH ROW WHEN (true) EXECUTE FUNCTION record_row_change('run_secret_pins', 'run_id', '');

create table runner_releases (
  release text not null,
  layer_digest text not null,
  abi_revision integer not null,
  first_seen_at timestamp with time zone default now() not null,
  approved_at timestamp with time zone,
  approved_by text,
  constraint runner_releases_pkey PRIMARY KEY (release),
  constraint runner_releases_layer_digest_key UNIQUE (layer_digest),
  constraint runner_releases_abi_revision_check CHECK (abi_revision >= 1),
  constraint runner_releases_approved_by_check CHECK (approved_by = ANY (ARRAY['declared'::text, 'operator'::text])),
  constraint runner_releases_check CHECK ((approved_at IS NULL) = (approved_by IS NULL)),
  constraint runner_releases_layer_digest_check CHECK (layer_digest ~ '^sha256:[0-9a-f]{64}$'::text),
  constraint runner_releases_release_check CHECK (release ~ '^runner-[0-9a-f]{16}$'::text)
);
CREATE TRIGGER audit_changes AFTER INSERT OR DELETE OR UPDATE ON runner_releases FOR EACH ROW WHEN (true) EXECUTE FUNCTION record_row_change('runner_release', 'release', '');

create table runs (
  id text not null,
  company_id text not null,
  chatroom_id text not null,
  task_id text not null,
  task_version_id text not null,
  environment_version_id text not null,
  share_grant_id text,
  state text default 'queued'::text not null,
  resource_profile text not null,
  principal_type text not null,
  principal_id text not null,
  auth_method text not null,
  api_key_id text,
  submission_source text not null,
  timeout_seconds integer not null,
  input_digest text not null,
  retry_of_run_id text default ''::text not null,
  error_code text default ''::text not null,
  error_detail text default ''::text not null,
  exit_code integer,
  failure_stage text default ''::text not null,
  failure_source text default ''::text not null,
  measured_ingress_bytes bigint default 0 not null,
  measured_egress_bytes bigint default 0 not null,
  peak_memory_bytes bigint,
  cpu_ms bigint,
  queued_at timestamp with time zone default now() not null,
  claimed_at timestamp with time zone,
  started_at timestamp with time zone,
  cancel_requested_at timestamp with time zone,
  terminal_at timestamp with time zone,
  fence bigint default 0 not null,
  worker text,
  lease_until timestamp with time zone,
  sandbox_id text,
  content_expired_at timestamp with time zone,
  executor text,
  lane text generated always as (
CASE
    WHEN timeout_seconds > 1800 THEN 'long_'::text
    ELSE 'short_'::text
END || resource_profile) stored not null,
  secret_slot_provenance jsonb,
  session_id text,
  waits_for_session boolean default false not null,
  constraint runs_pkey PRIMARY KEY (id),
  constraint runs_auth_method_check CHECK (auth_method = ANY (ARRAY['jwt'::text, 'api_key'::text])),
  constraint runs_check CHECK (state <> 'queued'::text OR worker IS NULL),
  constraint runs_check1 CHECK ((state <> ALL (ARRAY['starting'::text, 'running'::text])) OR worker IS NOT NULL AND sandbox_id IS NOT NULL),
  constraint runs_check2 CHECK ((terminal_at IS NOT NULL) = (state = ANY (ARRAY['completed'::text, 'customer_failed'::text, 'platform_failed'::text, 'cancelled'::text]))),
  constraint runs_check3 CHECK (state <> 'completed'::text OR exit_code = 0 AND error_code = ''::text),
  constraint runs_claimed_for_executor CHECK ((state <> ALL (ARRAY['starting'::text, 'running'::text])) OR executor IS NOT NULL),
  constraint runs_error_detail_check CHECK (error_detail = ''::text OR error_detail ~ '^[A-Za-z0-9._@:/+=%;-]{1,128}$'::text),
  constraint runs_principal_type_check CHECK (principal_type = ANY (ARRAY['user'::text, 'social_media_client'::text])),
  constraint runs_state_check CHECK (state = ANY (ARRAY['queued'::text, 'starting'::text, 'running'::text, 'cancel_requested'::text, 'completed'::text, 'customer_failed'::text, 'platform_failed'::text, 'cancelled'::text])),
  constraint runs_submission_source_check CHECK (submission_source = ANY (ARRAY['rest'::text, 'agent'::text, 'quick_run'::text, 'custom_table_trigger'::text])),
  constraint runs_timeout_seconds_check CHECK (timeout_seconds >= 1 AND timeout_seconds <= 604680)
);
CREATE INDEX runs_by_company ON runs USING btree (company_id, queued_at DESC, id DESC);
CREATE INDEX runs_by_room ON runs USING btree (chatroom_id, queued_at DESC, id DESC);
CREATE INDEX runs_by_task ON runs USING btree (task_id, queued_at DESC, id DESC);
CREATE INDEX runs_company_queue ON runs USING btree (company_id, queued_at, id) WHERE state = 'queued'::text;
CREATE INDEX runs_durations ON runs USING btree (company_id, resource_profile, terminal_at DESC) WHERE terminal_at IS NOT NULL AND started_at IS NOT NULL;
CREATE INDEX runs_leases ON runs USING btree (lease_until) WHERE terminal_at IS NULL AND worker IS NOT NULL;
CREATE INDEX runs_live ON runs USING btree (company_id, chatroom_id) WHERE state = ANY (ARRAY['starting'::text, 'running'::text, 'cancel_requested'::text]);
CREATE INDEX runs_of_session ON runs USING btree (session_id, queued_at, id) WHERE session_id IS NOT NULL;
CREATE INDEX runs_queue ON runs USING btree (company_id, chatroom_id, lane, queued_at, id) WHERE state = 'queued'::text AND NOT waits_for_session;
CREATE INDEX runs_queue_larger ON runs USING btree (company_id, queued_at, id) WHERE state = 'queued'::text AND resource_profile <> 'standard'::text AND NOT waits_for_session;
CREATE INDEX runs_served_company ON runs USING btree (company_id, claimed_at DESC) WHERE claimed_at IS NOT NULL;
CREATE INDEX runs_served_room ON runs USING btree (chatroom_id, claimed_at DESC) WHERE claimed_at IS NOT NULL;
CREATE INDEX runs_waiting_for_session ON runs USING btree (session_id, queued_at, id) WHERE state = 'queued'::text AND waits_for_session;
CREATE INDEX runs_with_content ON runs USING btree (company_id, terminal_at) WHERE terminal_at IS NOT NULL AND content_expired_at IS NULL;
CREATE TRIGGER count_ended_run AFTER UPDATE ON runs FOR EACH ROW WHEN (new.terminal_at IS NOT NULL AND old.terminal_at IS NULL) EXECUTE FUNCTION count_ended_run();
CREATE TRIGGER count_live_run AFTER UPDATE ON runs FOR EACH ROW WHEN (is_live_run(new.state) <> is_live_run(old.state)) EXECUTE FUNCTION count_live_run();
CREATE TRIGGER count_made_live_run AFTER INSERT ON runs FOR EACH ROW WHEN (is_live_run(new.state)) EXECUTE FUNCTION count_live_run();
CREATE TRIGGER keep_references BEFORE UPDATE OF company_id, chatroom_id, task_id, task_version_id, environment_version_id, share_grant_id ON runs FOR EACH ROW EXECUTE FUNCTION keep_references();
CREATE TRIGGER note_made_runs AFTER INSERT ON runs REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION note_made_runs();
CREATE TRIGGER release_session AFTER UPDATE ON runs FOR EACH ROW WHEN (old.terminal_at IS NULL AND new.terminal_at IS NOT NULL AND new.session_id IS NOT NULL AND NOT new.waits_for_session) EXECUTE FUNCTION release_session();
CREATE TRIGGER requeued_takes_turn AFTER UPDATE ON runs FOR EACH ROW WHEN (new.state = 'queued'::text AND old.state <> 'queued'::text) EXECUTE FUNCTION requeued_takes_turn();
CREATE TRIGGER settle_ended_run AFTER UPDATE ON runs FOR EACH ROW WHEN (new.terminal_at IS NOT NULL AND old.terminal_at IS NULL) EXECUTE FUNCTION settle_ended_run();

create table sandbox_records (
  id text not null,
  executor text not null,
  state text not null,
  made_at timestamp with time zone default clock_timestamp() not null,
  claimed_at timestamp with time zone,
  pod_uid text,
  credential_hash bytea,
  valid_until timestamp with time zone,
  stop integer default 0 not null,
  spec jsonb,
  exit jsonb,
  constraint sandbox_records_pkey PRIMARY KEY (id),
  constraint sandbox_records_check CHECK ((spec IS NOT NULL) = (state = ANY (ARRAY['placed'::text, 'redeemed'::text, 'exited'::text]))),
  constraint sandbox_records_check1 CHECK ((exit IS NOT NULL) = (state = 'exited'::text)),
  constraint sandbox_records_check2 CHECK ((state <> ALL (ARRAY['redeemed'::text, 'exited'::text])) OR num_nulls(pod_uid, credential_hash, valid_until) = 0),
  constraint sandbox_records_check3 CHECK ((state <> ALL (ARRAY['placed'::text, 'forbidden'::text])) OR num_nonnulls(pod_uid, credential_hash, valid_until) = 0),
  constraint sandbox_records_credential_hash_check CHECK (length(credential_hash) = 32),
  constraint sandbox_records_executor_check CHECK (executor ~ '^[0-9a-f]{32}$'::text),
  constraint sandbox_records_id_check CHECK (id ~ '^[a-z0-9_]{1,64}$'::text),
  constraint sandbox_records_pod_uid_check CHECK (length(pod_uid) >= 1 AND length(pod_uid) <= 64),
  constraint sandbox_records_state_check CHECK (state = ANY (ARRAY['placed'::text, 'redeemed'::text, 'exited'::text, 'removed'::text, 'forbidden'::text])),
  constraint sandbox_records_stop_check CHECK (stop >= 0 AND stop <= 2)
);
CREATE INDEX sandbox_records_by_age ON sandbox_records USING btree (made_at);
CREATE INDEX sandbox_records_live ON sandbox_records USING btree (executor) WHERE state = ANY (ARRAY['placed'::text, 'redeemed'::text, 'exited'::text]);

create table schedule_ticks (
  schedule_id text not null,
  due_at timestamp with time zone not null,
  company_id text not null,
  run_id text,
  skipped_because text,
  handled_at timestamp with time zone default now() not null,
  constraint schedule_ticks_pkey PRIMARY KEY (schedule_id, due_at),
  constraint schedule_ticks_check CHECK ((run_id IS NULL) <> (skipped_because IS NULL)),
  constraint schedule_ticks_skipped_because_check CHECK (length(skipped_because) <= 128),
  constraint schedule_ticks_company_id_schedule_id_fkey FOREIGN KEY (company_id, schedule_id) REFERENCES schedules(company_id, id) ON DELETE CASCADE
);

create table schedules (
  id text not null,
  company_id text not null,
  chatroom_id text not null,
  name text not null,
  task_id text not null,
  input bytea not null,
  input_digest text not null,
  timeout_seconds integer,
  cron text not null,
  time_zone text not null,
  missed text not null,
  run_as text not null,
  api_key_id text,
  since timestamp with time zone not null,
  next_at timestamp with time zone not null,
  look_at timestamp with time zone not null,
  paused_because text,
  paused_at timestamp with time zone,
  created_at timestamp with time zone default now() not null,
  constraint schedules_pkey PRIMARY KEY (id),
  constraint schedules_company_id_id_key UNIQUE (company_id, id),
  constraint schedules_check CHECK ((paused_because IS NULL) = (paused_at IS NULL)),
  constraint schedules_check1 CHECK (look_at >= next_at),
  constraint schedules_cron_check CHECK (length(cron) >= 1 AND length(cron) <= 120),
  constraint schedules_input_check CHECK (octet_length(input) <= 1048576),
  constraint schedules_input_digest_check CHECK (input_digest ~ '^sha256:[0-9a-f]{64}$'::text),
  constraint schedules_missed_check CHECK (missed = ANY (ARRAY['skip'::text, 'once'::text])),
  constraint schedules_name_check CHECK (length(name) >= 1 AND length(name) <= 256),
  constraint schedules_paused_because_check CHECK (paused_because = ANY (ARRAY['by_person'::text, 'authority_revoked'::text, 'too_many_failures'::text])),
  constraint schedules_time_zone_check CHECK (length(time_zone) >= 1 AND length(time_zone) <= 64),
  constraint schedules_timeout_seconds_check CHECK (timeout_seconds >= 1 AND timeout_seconds <= 604680),
  constraint schedules_company_id_chatroom_id_fkey FOREIGN KEY (company_id, chatroom_id) REFERENCES chatrooms(company_id, id),
  constraint schedules_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint schedules_company_id_run_as_fkey FOREIGN KEY (company_id, run_as) REFERENCES users(company_id, id),
  constraint schedules_task_id_fkey FOREIGN KEY (task_id) REFERENCES tasks(id)
);
CREATE INDEX schedules_due ON schedules USING btree (company_id, look_at) WHERE paused_because IS NULL;
CREATE UNIQUE INDEX schedules_name ON schedules USING btree (chatroom_id, name);
CREATE TRIGGER audit_changes AFTER INSERT OR DELETE OR UPDATE OF name, input, timeout_seconds, cron, time_zone, missed, run_as, paused_because ON schedules FOR EACH ROW WHEN (true) EXECUTE FUNCTION record_row_change('schedule', 'id', 'next_at,look_at,since');
CREATE TRIGGER count_kept_schedules_delete AFTER DELETE ON schedules REFERENCING OLD TABLE AS olds FOR EACH STATEMENT EXECUTE FUNCTION count_kept('schedules', '32768 + 3 * octet_length(name) + octet_length(input)', 'company_id');
CREATE TRIGGER count_kept_schedules_insert AFTER INSERT ON schedules REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('schedules', '32768 + 3 * octet_length(name) + octet_length(input)', 'company_id');
CREATE TRIGGER count_kept_schedules_update AFTER UPDATE ON schedules REFERENCING OLD TABLE AS olds NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('schedules', '32768 + 3 * octet_length(name) + octet_length(input)', 'company_id');

create table script_uploads (
  id text not null,
  company_id text not null,
  task_id text not null,
  filename text not null,
  content text not null,
  byte_size integer not null,
  digest text not null,
  created_by text not null,
  created_at timestamp with time zone default now() not null,
  expires_at timestamp with time zone not null,
  constraint script_uploads_pkey PRIMARY KEY (id),
  constraint script_uploads_check CHECK (byte_size = octet_length(content)),
  constraint script_uploads_content_check CHECK (octet_length(content) <= 1048576),
  constraint script_uploads_digest_check CHECK (digest ~ '^sha256:[0-9a-f]{64}$'::text),
  constraint script_uploads_filename_check CHECK (length(filename) <= 255),
  constraint script_uploads_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint script_uploads_task_id_fkey FOREIGN KEY (task_id) REFERENCES tasks(id)
);
CREATE INDEX script_uploads_expiry ON script_uploads USING btree (expires_at);
CREATE TRIGGER audit_changes AFTER INSERT ON script_uploads FOR EACH ROW WHEN (true) EXECUTE FUNCTION record_row_change('script_upload', 'id', '');
CREATE TRIGGER count_kept_scripts_delete AFTER DELETE ON script_uploads REFERENCING OLD TABLE AS olds FOR EACH STATEMENT EXECUTE FUNCTION count_kept('scripts', 'byte_size', 'company_id');
CREATE TRIGGER count_kept_scripts_insert AFTER INSERT ON script_uploads REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('scripts', 'byte_size', 'company_id');
CREATE TRIGGER count_kept_scripts_update AFTER UPDATE ON script_uploads REFERENCING OLD TABLE AS olds NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('scripts', 'byte_size', 'company_id');

create table secret_approvals (
  id text not null,
  company_id text not null,
  consumer_scope text not null,
  consumer_id text not null,
  owner_scope text not null,
  owner_id text not null,
  task_id text not null,
  task_version_id text not null,
  task_version_digest text not null,
  slot_names text[] not null,
  slot_set_hash text not null,
  generation integer not null,
  state text default 'active'::text not null,
  created_by text not null,
  created_at timestamp with time zone default now() not null,
  revoked_at timestamp with time zone,
  revoke_reason text default ''::text not null,
  next_until timestamp with time zone,
  next_approved_by text,
  next_author_id text,
  next_after integer,
  next_slot_names text[],
  next_share_grant_id text,
  next_ended_at timestamp with time zone,
  next_end_reason text,
  constraint secret_approvals_pkey PRIMARY KEY (id),
  constraint secret_approvals_company_id_consumer_scope_consumer_id_task_key UNIQUE (company_id, consumer_scope, consumer_id, task_version_id, slot_set_hash, generation),
  constraint secret_approvals_consumer_scope_check CHECK (consumer_scope = ANY (ARRAY['chatroom'::text, 'department'::text, 'company'::text])),
  constraint secret_approvals_generation_check CHECK (generation >= 1),
  constraint secret_approvals_next_end CHECK ((next_ended_at IS NULL) = (next_end_reason IS NULL) AND (next_ended_at IS NULL OR next_until IS NOT NULL)),
  constraint secret_approvals_next_end_reason_check CHECK (next_end_reason = ANY (ARRAY['revoked'::text, 'expired'::text, 'other_author'::text, 'other_slots'::text, 'share_changed'::text, 'author_left'::text, 'approver_left'::text])),
  constraint secret_approvals_next_whole CHECK (num_nonnulls(next_until, next_approved_by, next_author_id, next_after, next_slot_names, next_share_grant_id) = ANY (ARRAY[0, 6])),
  constraint secret_approvals_owner_scope_check CHECK (owner_scope = ANY (ARRAY['chatroom'::text, 'department'::text, 'company'::text])),
  constraint secret_approvals_revoke_reason_check CHECK (length(revoke_reason) <= 512),
  constraint secret_approvals_revoked CHECK ((state = 'revoked'::text) = (revoked_at IS NOT NULL)),
  constraint secret_approvals_slot_names_check CHECK (cardinality(slot_names) >= 1 AND cardinality(slot_names) <= 100),
  constraint secret_approvals_slot_set_hash_check CHECK (slot_set_hash ~ '^sha256:[0-9a-f]{64}$'::text),
  constraint secret_approvals_state_check CHECK (state = ANY (ARRAY['active'::text, 'revoked'::text])),
  constraint secret_approvals_task_version_digest_check CHECK (task_version_digest ~ '^sha256:[0-9a-f]{64}$'::text),
  constraint secret_approvals_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint secret_approvals_company_id_task_id_task_version_id_fkey FOREIGN KEY (company_id, task_id, task_version_id) REFERENCES task_versions(company_id, task_id, id)
);
CREATE INDEX secret_approvals_by_task ON secret_approvals USING btree (company_id, task_id, id);
CREATE INDEX secret_approvals_next ON secret_approvals USING btree (id) WHERE next_until IS NOT NULL AND next_ended_at IS NULL;
CREATE UNIQUE INDEX secret_approvals_one_live ON secret_approvals USING btree (company_id, consumer_scope, consumer_id, task_version_id, slot_set_hash) WHERE state = 'active'::text;
CREATE TRIGGER audit_changes AFTER INSERT OR DELETE OR UPDATE ON secret_approvals FOR EACH ROW WHEN (true) EXECUTE FUNCTION record_row_change('secret_approval', 'id', '');
CREATE TRIGGER count_kept_secret_approvals_delete AFTER DELETE ON secret_approvals REFERENCING OLD TABLE AS olds FOR EACH STATEMENT EXECUTE FUNCTION count_kept('secret_approvals', '16384', 'company_id');
CREATE TRIGGER count_kept_secret_approvals_insert AFTER INSERT ON secret_approvals REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('secret_approvals', '16384', 'company_id');
CREATE TRIGGER notify_of_approval AFTER INSERT OR UPDATE OF state ON secret_approvals FOR EACH ROW EXECUTE FUNCTION notify_of_consumer();

create table secret_bindings (
  id text not null,
  company_id text not null,
  consumer_scope text not null,
  consumer_id text not null,
  task_id text not null,
  slot_name text not null,
  generation integer not null,
  state text default 'pending'::text not null,
  created_by text not null,
  created_at timestamp with time zone default now() not null,
  revoked_at timestamp with time zone,
  constraint secret_bindings_pkey PRIMARY KEY (id),
  constraint secret_bindings_company_id_consumer_scope_consumer_id_task__key UNIQUE (company_id, consumer_scope, consumer_id, task_id, slot_name, generation),
  constraint secret_bindings_id_company_id_key UNIQUE (id, company_id),
  constraint secret_bindings_consumer_scope_check CHECK (consumer_scope = ANY (ARRAY['chatroom'::text, 'department'::text, 'company'::text])),
  constraint secret_bindings_generation_check CHECK (generation >= 1),
  constraint secret_bindings_revoked CHECK ((state = 'revoked'::text) = (revoked_at IS NOT NULL)),
  constraint secret_bindings_slot_name_check CHECK (slot_name ~ '^[A-Za-z_][A-Za-z0-9_]{0,127}$'::text),
  constraint secret_bindings_state_check CHECK (state = ANY (ARRAY['pending'::text, 'active'::text, 'revoking'::text, 'revoked'::text])),
  constraint secret_bindings_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint secret_bindings_task_id_fkey FOREIGN KEY (task_id) REFERENCES tasks(id)
);
CREATE INDEX secret_bindings_by_consumer ON secret_bindings USING btree (company_id, consumer_scope, consumer_id, id);
CREATE INDEX secret_bindings_by_task ON secret_bindings USING btree (company_id, task_id, id);
CREATE UNIQUE INDEX secret_bindings_one_live ON secret_bindings USING btree (company_id, consumer_scope, consumer_id, task_id, slot_name) WHERE state <> 'revoked'::text;
CREATE TRIGGER audit_changes AFTER INSERT OR DELETE OR UPDATE ON secret_bindings FOR EACH ROW WHEN (true) EXECUTE FUNCTION record_row_change('secret_binding', 'id', '');
CREATE TRIGGER count_kept_secrets_delete AFTER DELETE ON secret_bindings REFERENCING OLD TABLE AS olds FOR EACH STATEMENT EXECUTE FUNCTION count_kept('secrets', '1024 + 3 * octet_length(slot_name)', 'company_id');
CREATE TRIGGER count_kept_secrets_insert AFTER INSERT ON secret_bindings REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('secrets', '1024 + 3 * octet_length(slot_name)', 'company_id');
CREATE TRIGGER count_kept_secrets_update AFTER UPDATE ON secret_bindings REFERENCING OLD TABLE AS olds NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('secrets', '1024 + 3 * octet_length(slot_name)', 'company_id');
CREATE TRIGGER notify_of_secret AFTER INSERT OR UPDATE OF state ON secret_bindings FOR EACH ROW EXECUTE FUNCTION notify_of_consumer();

create table secret_envelopes (
  digest bytea not null,
  company_id text not null,
  consumer_scope text not null,
  consumer_id text not null,
  task_id text not null,
  slot_name text not null,
  created_at timestamp with time zone default now() not null,
  constraint secret_envelopes_pkey PRIMARY KEY (digest),
  constraint secret_envelopes_digest_check CHECK (length(digest) = 32),
  constraint secret_envelopes_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);
CREATE TRIGGER count_kept_secrets_delete AFTER DELETE ON secret_envelopes REFERENCING OLD TABLE AS olds FOR EACH STATEMENT EXECUTE FUNCTION count_kept('secrets', '512', 'company_id');
CREATE TRIGGER count_kept_secrets_insert AFTER INSERT ON secret_envelopes REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('secrets', '512', 'company_id');

create table secret_operations (
  id text not null,
  company_id text not null,
  binding_id text not null,
  operation_type text not null,
  generation integer not null,
  state text default 'prepared'::text not null,
  created_by text not null,
  created_at timestamp with time zone default now() not null,
  constraint secret_operations_pkey PRIMARY KEY (id),
  constraint secret_operations_generation_check CHECK (generation >= 1),
  constraint secret_operations_operation_type_check CHECK (operation_type = ANY (ARRAY['create'::text, 'rotate'::text, 'revoke'::text])),
  constraint secret_operations_state_check CHECK (state = ANY (ARRAY['prepared'::text, 'applying'::text, 'reconciling'::text, 'applied'::text, 'revoking'::text, 'terminal'::text])),
  constraint secret_operations_binding_id_company_id_fkey FOREIGN KEY (binding_id, company_id) REFERENCES secret_bindings(id, company_id),
  constraint secret_operations_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);
CREATE INDEX secret_operations_age ON secret_operations USING btree (created_at);
CREATE INDEX secret_operations_by_binding ON secret_operations USING btree (binding_id);

create table secret_values (
  binding_id text not null,
  company_id text not null,
  generation integer not null,
  key_id text not null,
  wrapped_key bytea not null,
  iv bytea not null,
  ciphertext bytea not null,
  created_at timestamp with time zone default now() not null,
  constraint secret_values_pkey PRIMARY KEY (binding_id),
  constraint secret_values_ciphertext_check CHECK (octet_length(ciphertext) >= 20 AND octet_length(ciphertext) <= 65552),
  constraint secret_values_iv_check CHECK (octet_length(iv) = 12),
  constraint secret_values_key_id_check CHECK (key_id ~ '^[a-z]{1,16}:[0-9]{1,9}$'::text),
  constraint secret_values_wrapped_key_check CHECK (octet_length(wrapped_key) >= 1 AND octet_length(wrapped_key) <= 1024),
  constraint secret_values_binding_id_company_id_fkey FOREIGN KEY (binding_id, company_id) REFERENCES secret_bindings(id, company_id)
);
CREATE INDEX secret_values_by_key ON secret_values USING btree (key_id, binding_id);
CREATE TRIGGER audit_changes AFTER INSERT OR DELETE OR UPDATE ON secret_values FOR EACH ROW WHEN (true) EXECUTE FUNCTION record_row_change('secret_value', 'binding_id,generation', '');
CREATE TRIGGER count_kept_secrets_delete AFTER DELETE ON secret_values REFERENCING OLD TABLE AS olds FOR EACH STATEMENT EXECUTE FUNCTION count_kept('secrets', 'octet_length(ciphertext)', 'company_id');
CREATE TRIGGER count_kept_secrets_insert AFTER INSERT ON secret_values REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('secrets', 'octet_length(ciphertext)', 'company_id');

create table security_exceptions (
  id text not null,
  company_id text not null,
  environment_id text not null,
  finding_id text not null,
  state text default 'active'::text not null,
  reason text not null,
  created_by text not null,
  created_at timestamp with time zone default now() not null,
  expires_at timestamp with time zone,
  ended_at timestamp with time zone,
  constraint security_exceptions_pkey PRIMARY KEY (id),
  constraint security_exceptions_check CHECK ((state = 'active'::text) = (ended_at IS NULL)),
  constraint security_exceptions_reason_check CHECK (length(reason) >= 1 AND length(reason) <= 512),
  constraint security_exceptions_state_check CHECK (state = ANY (ARRAY['active'::text, 'revoked'::text, 'expired'::text])),
  constraint security_exceptions_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint security_exceptions_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint security_exceptions_finding_id_fkey FOREIGN KEY (finding_id) REFERENCES security_findings(id)
);
CREATE INDEX security_exceptions_age ON security_exceptions USING btree (ended_at) WHERE state <> 'active'::text;
CREATE INDEX security_exceptions_by_finding ON security_exceptions USING btree (finding_id);
CREATE INDEX security_exceptions_expiry ON security_exceptions USING btree (expires_at) WHERE state = 'active'::text;
CREATE INDEX security_exceptions_listed ON security_exceptions USING btree (environment_id, id);
CREATE UNIQUE INDEX security_exceptions_one_active ON security_exceptions USING btree (finding_id) WHERE state = 'active'::text;
CREATE TRIGGER audit_changes AFTER INSERT OR DELETE OR UPDATE ON security_exceptions FOR EACH ROW WHEN (true) EXECUTE FUNCTION record_row_change('security_exception', 'id', '');
CREATE TRIGGER count_kept_findings_delete AFTER DELETE ON security_exceptions REFERENCING OLD TABLE AS olds FOR EACH STATEMENT EXECUTE FUNCTION count_kept('findings', '4096', 'company_id');
CREATE TRIGGER count_kept_findings_insert AFTER INSERT ON security_exceptions REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('findings', '4096', 'company_id');

create table security_findings (
  id text not null,
  company_id text not null,
  environment_id text not null,
  fingerprint text not null,
  state text default 'discovered'::text not null,
  kind text not null,
  rule text not null,
  subject text not null,
  severity text not null,
  severity_rank integer generated always as (array_position(ARRAY['critical'::text, 'high'::text, 'medium'::text, 'low'::text, 'unknown'::text], severity)) stored not null,
  title text not null,
  installed_version text default ''::text not null,
  fixed_version text default ''::text not null,
  block_reason text,
  first_version_id text not null,
  last_version_id text not null,
  first_seen_at timestamp with time zone default now() not null,
  last_seen_at timestamp with time zone default now() not null,
  state_changed_at timestamp with time zone default now() not null,
  reminders integer default 0 not null,
  reminded_since timestamp with time zone,
  constraint security_findings_pkey PRIMARY KEY (id),
  constraint security_findings_environment_id_fingerprint_key UNIQUE (environment_id, fingerprint),
  constraint security_findings_block CHECK (block_reason IS NULL OR (state = ANY (ARRAY['blocked'::text, 'resolved'::text]))),
  constraint security_findings_block_reason_check CHECK (length(block_reason) <= 512),
  constraint security_findings_blocked CHECK (state <> 'blocked'::text OR block_reason IS NOT NULL),
  constraint security_findings_fingerprint_check CHECK (fingerprint ~ '^sha256:[0-9a-f]{64}$'::text),
  constraint security_findings_kind_check CHECK (kind = ANY (ARRAY['vulnerability'::text, 'secret'::text, 'file'::text])),
  constraint security_findings_reminders_check CHECK (reminders >= 0),
  constraint security_findings_rule_check CHECK (length(rule) <= 256),
  constraint security_findings_severity_check CHECK (severity = ANY (ARRAY['critical'::text, 'high'::text, 'medium'::text, 'low'::text, 'unknown'::text])),
  constraint security_findings_state_check CHECK (state = ANY (ARRAY['discovered'::text, 'reappeared'::text, 'excepted'::text, 'blocked'::text, 'resolved'::text, 'closed'::text])),
  constraint security_findings_subject_check CHECK (length(subject) <= 4096),
  constraint security_findings_title_check CHECK (length(title) <= 512),
  constraint security_findings_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint security_findings_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id),
  constraint security_findings_first_version_id_fkey FOREIGN KEY (first_version_id) REFERENCES environment_versions(id),
  constraint security_findings_last_version_id_fkey FOREIGN KEY (last_version_id) REFERENCES environment_versions(id)
);
CREATE INDEX security_findings_age ON security_findings USING btree (state_changed_at) WHERE state = ANY (ARRAY['resolved'::text, 'closed'::text]);
CREATE INDEX security_findings_listed ON security_findings USING btree (environment_id, severity_rank, id);
CREATE INDEX security_findings_not_closed ON security_findings USING btree (environment_id) WHERE state <> 'closed'::text;
CREATE INDEX security_findings_open ON security_findings USING btree (environment_id, last_seen_at) WHERE state = ANY (ARRAY['discovered'::text, 'reappeared'::text, 'excepted'::text, 'blocked'::text]);
CREATE TRIGGER count_kept_findings_delete AFTER DELETE ON security_findings REFERENCING OLD TABLE AS olds FOR EACH STATEMENT EXECUTE FUNCTION count_kept('findings', '768 + octet_length(rule) + octet_length(subject) + octet_length(title) + octet_length(installed_version) + octet_length(fixed_version) + coalesce(octet_length(block_reason), 0)', 'company_id');
CREATE TRIGGER count_kept_findings_insert AFTER INSERT ON security_findings REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('findings', '768 + octet_length(rule) + octet_length(subject) + octet_length(title) + octet_length(installed_version) + octet_length(fixed_version) + coalesce(octet_length(block_reason), 0)', 'company_id');
CREATE TRIGGER count_kept_findings_update AFTER UPDATE ON security_findings REFERENCING OLD TABLE AS olds NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('findings', '768 + octet_length(rule) + octet_length(subject) + octet_length(title) + octet_length(installed_version) + octet_length(fixed_version) + coalesce(octet_length(block_reason), 0)', 'company_id');

create table session_folders (
  session_id text not null,
  company_id text not null,
  conversation text not null,
  folder text not null,
  used_at timestamp with time zone default clock_timestamp() not null,
  constraint session_folders_pkey PRIMARY KEY (session_id, conversation),
  constraint session_folders_conversation_check CHECK (length(conversation) >= 1 AND length(conversation) <= 128),
  constraint session_folders_folder_check CHECK (octet_length(folder) >= 1 AND octet_length(folder) <= 1024),
  constraint session_folders_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint session_folders_company_id_session_id_fkey FOREIGN KEY (company_id, session_id) REFERENCES sessions(company_id, id) ON DELETE CASCADE
);
CREATE TRIGGER count_kept_sessions_delete AFTER DELETE ON session_folders REFERENCING OLD TABLE AS olds FOR EACH STATEMENT EXECUTE FUNCTION count_kept_session_folders('sessions', '1280', 'company_id');
CREATE TRIGGER count_kept_sessions_insert AFTER INSERT ON session_folders REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept_session_folders('sessions', '1280', 'company_id');

create table session_packs (
  id text not null,
  company_id text not null,
  storage_key text not null,
  byte_size bigint not null,
  held_until timestamp with time zone,
  constraint session_packs_pkey PRIMARY KEY (id),
  constraint session_packs_company_id_id_key UNIQUE (company_id, id),
  constraint session_packs_storage_key_key UNIQUE (storage_key),
  constraint session_packs_byte_size_check CHECK (byte_size >= 0),
  constraint session_packs_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);
CREATE INDEX session_packs_held ON session_packs USING btree (held_until) WHERE held_until IS NOT NULL;
CREATE INDEX session_packs_written ON session_packs USING btree (company_id, held_until) WHERE held_until IS NOT NULL;
CREATE TRIGGER count_kept_sessions_delete AFTER DELETE ON session_packs REFERENCING OLD TABLE AS olds FOR EACH STATEMENT EXECUTE FUNCTION count_kept_session_packs('sessions', '4096 + byte_size', 'company_id');
CREATE TRIGGER count_kept_sessions_insert AFTER INSERT ON session_packs REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept_session_packs('sessions', '4096 + byte_size', 'company_id');
CREATE TRIGGER count_kept_sessions_update AFTER UPDATE ON session_packs REFERENCING OLD TABLE AS olds NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept_session_packs('sessions', '4096 + byte_size', 'company_id');

create table session_tree_packs (
  tree_id text not null,
  pack_id text not null,
  company_id text not null,
  constraint session_tree_packs_pkey PRIMARY KEY (tree_id, pack_id),
  constraint session_tree_packs_company_id_pack_id_fkey FOREIGN KEY (company_id, pack_id) REFERENCES session_packs(company_id, id),
  constraint session_tree_packs_company_id_tree_id_fkey FOREIGN KEY (company_id, tree_id) REFERENCES session_trees(company_id, id) ON DELETE CASCADE
);
CREATE INDEX session_tree_packs_by_pack ON session_tree_packs USING btree (pack_id);
CREATE TRIGGER leave_session_pack AFTER DELETE ON session_tree_packs FOR EACH ROW EXECUTE FUNCTION leave_session_pack();

create table session_trees (
  id text not null,
  company_id text not null,
  content bytea not null,
  left_at timestamp with time zone,
  constraint session_trees_pkey PRIMARY KEY (id),
  constraint session_trees_company_id_id_key UNIQUE (company_id, id),
  constraint session_trees_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);
CREATE INDEX session_trees_left ON session_trees USING btree (left_at) WHERE left_at IS NOT NULL;
CREATE TRIGGER count_kept_sessions_delete AFTER DELETE ON session_trees REFERENCING OLD TABLE AS olds FOR EACH STATEMENT EXECUTE FUNCTION count_kept_session_trees('sessions', '1024 + octet_length(content)', 'company_id');
CREATE TRIGGER count_kept_sessions_insert AFTER INSERT ON session_trees REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept_session_trees('sessions', '1024 + octet_length(content)', 'company_id');
CREATE TRIGGER count_kept_sessions_update AFTER UPDATE ON session_trees REFERENCING OLD TABLE AS olds NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept_session_trees('sessions', '1024 + octet_length(content)', 'company_id');

create table sessions (
  id text not null,
  company_id text not null,
  chatroom_id text not null,
  principal_type text not null,
  principal_id text not null,
  api_key_id text,
  name text,
  size_limit_bytes bigint not null,
  tree_id text,
  byte_size bigint default 0 not null,
  file_count integer default 0 not null,
  revision integer default 1 not null,
  holder_run_id text,
  keep_hours integer not null,
  created_at timestamp with time zone default now() not null,
  last_used_at timestamp with time zone default now() not null,
  expires_at timestamp with time zone not null,
  person text,
  constraint sessions_pkey PRIMARY KEY (id),
  constraint sessions_of_company UNIQUE (company_id, id),
  constraint sessions_byte_size_check CHECK (byte_size >= 0),
  constraint sessions_file_count_check CHECK (file_count >= 0),
  constraint sessions_keep_hours_check CHECK (keep_hours >= 1),
  constraint sessions_name_check CHECK (length(name) >= 1 AND length(name) <= 200),
  constraint sessions_person_check CHECK (length(person) >= 1 AND length(person) <= 128),
  constraint sessions_person_of_key CHECK (person IS NULL OR api_key_id IS NOT NULL),
  constraint sessions_principal_type_check CHECK (principal_type = ANY (ARRAY['user'::text, 'social_media_client'::text])),
  constraint sessions_revision_check CHECK (revision >= 1),
  constraint sessions_size_limit_bytes_check CHECK (size_limit_bytes >= 1),
  constraint sessions_company_id_chatroom_id_fkey FOREIGN KEY (company_id, chatroom_id) REFERENCES chatrooms(company_id, id),
  constraint sessions_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint sessions_company_id_tree_id_fkey FOREIGN KEY (company_id, tree_id) REFERENCES session_trees(company_id, id)
);
CREATE INDEX sessions_by_owner ON sessions USING btree (chatroom_id, principal_id, id);
CREATE INDEX sessions_by_tree ON sessions USING btree (tree_id) WHERE tree_id IS NOT NULL;
CREATE INDEX sessions_expired ON sessions USING btree (expires_at);
CREATE UNIQUE INDEX sessions_held ON sessions USING btree (holder_run_id) WHERE holder_run_id IS NOT NULL;
CREATE UNIQUE INDEX sessions_of_person ON sessions USING btree (api_key_id, person) WHERE person IS NOT NULL;
CREATE TRIGGER audit_changes AFTER INSERT OR DELETE OR UPDATE ON sessions FOR EACH ROW WHEN (true) EXECUTE FUNCTION record_row_change('session', 'id', 'last_used_at,expires_at,holder_run_id');
CREATE TRIGGER change_session_tree AFTER UPDATE OF tree_id ON sessions FOR EACH ROW WHEN (old.tree_id IS NOT NULL AND old.tree_id IS DISTINCT FROM new.tree_id) EXECUTE FUNCTION leave_session_tree();
CREATE TRIGGER count_kept_sessions_delete AFTER DELETE ON sessions REFERENCING OLD TABLE AS olds FOR EACH STATEMENT EXECUTE FUNCTION count_kept_sessions('sessions', '1024', 'company_id');
CREATE TRIGGER count_kept_sessions_insert AFTER INSERT ON sessions REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept_sessions('sessions', '1024', 'company_id');
CREATE TRIGGER leave_session_tree AFTER DELETE ON sessions FOR EACH ROW WHEN (old.tree_id IS NOT NULL) EXECUTE FUNCTION leave_session_tree();

create table share_grants (
  id text not null,
  company_id text not null,
  task_id text not null,
  target_kind text not null,
  target_id text not null,
  generation integer not null,
  state text default 'active'::text not null,
  owner_authority_generation integer default 1 not null,
  target_authority_generation integer default 1 not null,
  secret_slot_policies jsonb,
  created_at timestamp with time zone default now() not null,
  revoked_at timestamp with time zone,
  revoke_reason text default ''::text not null,
  constraint share_grants_pkey PRIMARY KEY (id),
  constraint share_grants_task_id_target_kind_target_id_generation_key UNIQUE (task_id, target_kind, target_id, generation),
  constraint share_grants_check CHECK ((state = 'revoked'::text) = (revoked_at IS NOT NULL)),
  constraint share_grants_generation_check CHECK (generation >= 1),
  constraint share_grants_state_check CHECK (state = ANY (ARRAY['active'::text, 'revoked'::text])),
  constraint share_grants_target_kind_check CHECK (target_kind = ANY (ARRAY['chatroom'::text, 'department'::text, 'company'::text])),
  constraint share_grants_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint share_grants_task_id_fkey FOREIGN KEY (task_id) REFERENCES tasks(id)
);
CREATE INDEX share_grants_by_target ON share_grants USING btree (target_id, task_id) WHERE state = 'active'::text;
CREATE UNIQUE INDEX share_grants_one_live ON share_grants USING btree (task_id, target_kind, target_id) WHERE state = 'active'::text;
CREATE TRIGGER audit_changes AFTER INSERT OR DELETE OR UPDATE ON share_grants FOR EACH ROW WHEN (true) EXECUTE FUNCTION record_row_change('share_grant', 'id', '');
CREATE TRIGGER count_kept_tasks_delete AFTER DELETE ON share_grants REFERENCING OLD TABLE AS olds FOR EACH STATEMENT EXECUTE FUNCTION count_kept('tasks', '512 + octet_length(revoke_reason) + coalesce(octet_length(secret_slot_policies::text), 0)', 'company_id');
CREATE TRIGGER count_kept_tasks_insert AFTER INSERT ON share_grants REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('tasks', '512 + octet_length(revoke_reason) + coalesce(octet_length(secret_slot_policies::text), 0)', 'company_id');
CREATE TRIGGER count_kept_tasks_update AFTER UPDATE ON share_grants REFERENCING OLD TABLE AS olds NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('tasks', '512 + octet_length(revoke_reason) + coalesce(octet_length(secret_slot_policies::text), 0)', 'company_id');
CREATE TRIGGER keep_referred AFTER DELETE OR UPDATE OF id ON share_grants FOR EACH ROW EXECUTE FUNCTION keep_referred('share_grant_id');
CREATE TRIGGER notify_of_share AFTER INSERT OR UPDATE ON share_grants FOR EACH ROW EXECUTE FUNCTION notify_of_share();

create table sign_ins (
  id text not null,
  company_id text not null,
  user_id text not null,
  token_hash bytea not null,
  credential_generation integer not null,
  client text not null,
  address text not null,
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  provider_state_hash bytea,
  constraint sign_ins_pkey PRIMARY KEY (id),
  constraint sign_ins_provider_state_hash_key UNIQUE (provider_state_hash),
  constraint sign_ins_token_hash_key UNIQUE (token_hash),
  constraint sign_ins_address_check CHECK (length(address) <= 64),
  constraint sign_ins_client_check CHECK (length(client) <= 80),
  constraint sign_ins_provider_state_hash_check CHECK (octet_length(provider_state_hash) = 32),
  constraint sign_ins_token_hash_check CHECK (octet_length(token_hash) = 32),
  constraint sign_ins_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint sign_ins_company_id_user_id_fkey FOREIGN KEY (company_id, user_id) REFERENCES users(company_id, id)
);
CREATE INDEX sign_ins_by_user ON sign_ins USING btree (company_id, user_id, last_used_at);
CREATE INDEX sign_ins_expiry ON sign_ins USING btree (expires_at);
CREATE TRIGGER audit_changes AFTER INSERT OR DELETE OR UPDATE ON sign_ins FOR EACH ROW WHEN (true) EXECUTE FUNCTION record_row_change('sign_in', 'id', 'token_hash,last_used_at,expires_at,credential_generation,provider_state_hash');

create table signed_links (
  id text not null,
  company_id text not null,
  run_id text not null,
  purpose text not null,
  object_kind text not null,
  artifact_id text,
  created_by text not null,
  created_at timestamp with time zone default now() not null,
  expires_at timestamp with time zone not null,
  revoked_at timestamp with time zone,
  constraint signed_links_pkey PRIMARY KEY (id),
  constraint signed_links_check CHECK ((object_kind = 'artifact'::text) = (artifact_id IS NOT NULL)),
  constraint signed_links_check1 CHECK ((purpose = 'share'::text) = (object_kind = 'run'::text)),
  constraint signed_links_object_kind_check CHECK (object_kind = ANY (ARRAY['run'::text, 'log'::text, 'output'::text, 'artifact'::text])),
  constraint signed_links_purpose_check CHECK (purpose = ANY (ARRAY['share'::text, 'media'::text, 'download'::text])),
  constraint signed_links_artifact_id_fkey FOREIGN KEY (artifact_id) REFERENCES run_artifacts(id),
  constraint signed_links_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint signed_links_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs(id)
);
CREATE INDEX signed_links_by_age ON signed_links USING btree (expires_at);
CREATE INDEX signed_links_by_run ON signed_links USING btree (run_id, created_at DESC) WHERE revoked_at IS NULL;
CREATE TRIGGER audit_changes AFTER INSERT OR UPDATE ON signed_links FOR EACH ROW WHEN (true) EXECUTE FUNCTION record_row_change('signed_link', 'id', '');

create table social_media_clients (
  id text not null,
  company_id text not null,
  chatroom_id text not null,
  channel text not null,
  client_id text not null,
  display_name text default ''::text not null,
  created_at timestamp with time zone default now() not null,
  removed_at timestamp with time zone,
  constraint social_media_clients_pkey PRIMARY KEY (id),
  constraint social_media_clients_channel_check CHECK (channel = ANY (ARRAY['line'::text, 'messenger'::text, 'whatsapp'::text])),
  constraint social_media_clients_client_id_check CHECK (client_id ~ '^[A-Za-z0-9_.:@+-]{1,128}$'::text),
  constraint social_media_clients_display_name_check CHECK (length(display_name) <= 256),
  constraint social_media_clients_company_id_chatroom_id_fkey FOREIGN KEY (company_id, chatroom_id) REFERENCES chatrooms(company_id, id),
  constraint social_media_clients_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);
CREATE INDEX social_media_clients_by_room ON social_media_clients USING btree (chatroom_id, id);
CREATE UNIQUE INDEX social_media_clients_live ON social_media_clients USING btree (company_id, channel, client_id) WHERE removed_at IS NULL;
CREATE TRIGGER audit_changes AFTER INSERT OR DELETE OR UPDATE ON social_media_clients FOR EACH ROW WHEN (true) EXECUTE FUNCTION record_row_change('social_media_client', 'id', '');
CREATE TRIGGER count_kept_directory_delete AFTER DELETE ON social_media_clients REFERENCING OLD TABLE AS olds FOR EACH STATEMENT EXECUTE FUNCTION count_kept('directory', '640 + 3 * octet_length(client_id) + octet_length(display_name)', 'company_id');
CREATE TRIGGER count_kept_directory_insert AFTER INSERT ON social_media_clients REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('directory', '640 + 3 * octet_length(client_id) + octet_length(display_name)', 'company_id');
CREATE TRIGGER count_kept_directory_update AFTER UPDATE ON social_media_clients REFERENCING OLD TABLE AS olds NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('directory', '640 + 3 * octet_length(client_id) + octet_length(display_name)', 'company_id');

create table staging_leases (
  id text not null,
  company_id text not null,
  object_kind text not null,
  declared_bytes bigint not null,
  storage_key text,
  created_at timestamp with time zone default now() not null,
  held_until timestamp with time zone,
  constraint staging_leases_pkey PRIMARY KEY (id),
  constraint staging_leases_check CHECK (held_until IS NOT NULL OR storage_key IS NULL),
  constraint staging_leases_declared_bytes_check CHECK (declared_bytes >= 0),
  constraint staging_leases_object_kind_check CHECK (object_kind = ANY (ARRAY['script'::text, 'bundle'::text, 'report'::text, 'input'::text])),
  constraint staging_leases_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);
CREATE INDEX staging_leases_ended ON staging_leases USING btree (created_at) WHERE held_until IS NULL;
CREATE INDEX staging_leases_held ON staging_leases USING btree (company_id) WHERE held_until IS NOT NULL;
CREATE INDEX staging_leases_overdue ON staging_leases USING btree (held_until) WHERE held_until IS NOT NULL;
CREATE INDEX staging_leases_recent ON staging_leases USING btree (company_id, created_at);
CREATE TRIGGER count_kept_uploads_delete AFTER DELETE ON staging_leases REFERENCING OLD TABLE AS olds FOR EACH STATEMENT EXECUTE FUNCTION count_kept('uploads', 'case when held_until is null then 0 else declared_bytes end', 'company_id');
CREATE TRIGGER count_kept_uploads_insert AFTER INSERT ON staging_leases REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('uploads', 'case when held_until is null then 0 else declared_bytes end', 'company_id');
CREATE TRIGGER count_kept_uploads_update AFTER UPDATE ON staging_leases REFERENCING OLD TABLE AS olds NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('uploads', 'case when held_until is null then 0 else declared_bytes end', 'company_id');

create table state_events (
  id bigint generated always as identity not null,
  company_id text,
  entity text not null,
  entity_id text not null,
  from_state text not null,
  to_state text not null,
  at timestamp with time zone default now() not null,
  constraint state_events_pkey PRIMARY KEY (entity_id, id)
);
CREATE INDEX state_events_age ON state_events USING btree (at) WHERE entity <> 'run'::text;
CREATE TRIGGER audit_state_changes AFTER INSERT ON state_events REFERENCING NEW TABLE AS made FOR EACH STATEMENT EXECUTE FUNCTION record_state_changes();
CREATE TRIGGER count_kept_delete AFTER DELETE ON state_events REFERENCING OLD TABLE AS olds FOR EACH STATEMENT EXECUTE FUNCTION count_deleted_state_events();
CREATE TRIGGER count_kept_insert AFTER INSERT ON state_events FOR EACH ROW WHEN (new.entity <> 'run'::text AND new.company_id IS NOT NULL) EXECUTE FUNCTION count_state_event();
CREATE TRIGGER notify_state_change AFTER INSERT ON state_events FOR EACH ROW WHEN (new.from_state <> ''::text OR new.entity = 'run'::text) EXECUTE FUNCTION notify_state_change();
CREATE TRIGGER record_event AFTER INSERT ON state_events FOR EACH ROW WHEN (new.entity = ANY (ARRAY['build_attempt'::text, 'environment_version'::text, 'security_finding'::text, 'security_exception'::text])) EXECUTE FUNCTION record_event();
CREATE TRIGGER record_run_end AFTER INSERT ON state_events FOR EACH ROW WHEN (new.entity = 'run'::text AND (new.to_state = ANY (ARRAY['completed'::text, 'customer_failed'::text, 'platform_failed'::text, 'cancelled'::text]))) EXECUTE FUNCTION record_run_end();

create unlogged table state_watches (
  subject_id text not null,
  company_id text not null,
  wanted_until timestamp with time zone not null,
  constraint state_watches_pkey PRIMARY KEY (subject_id)
);
CREATE INDEX state_watches_wanted ON state_watches USING btree (wanted_until);

create table storage_bounds (
  only_row boolean default true not null,
  company_bytes bigint not null,
  constraint storage_bounds_pkey PRIMARY KEY (only_row),
  constraint storage_bounds_company_bytes_check CHECK (company_bytes >= 1),
  constraint storage_bounds_only_row_check CHECK (only_row)
);
CREATE TRIGGER audit_changes AFTER INSERT OR DELETE OR UPDATE ON storage_bounds FOR EACH ROW WHEN (true) EXECUTE FUNCTION record_row_change('storage_bounds', 'only_row', '');

create table storage_reservations (
  run_id text not null,
  company_id text not null,
  fence bigint not null,
  bytes bigint not null,
  constraint storage_reservations_pkey PRIMARY KEY (run_id),
  constraint storage_reservations_bytes_check CHECK (bytes >= 0),
  constraint storage_reservations_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);
CREATE INDEX storage_reservations_by_company ON storage_reservations USING btree (company_id);

create table task_bundles (
  id text not null,
  company_id text not null,
  task_id text not null,
  filename text not null,
  archive_format text not null,
  storage_key text not null,
  byte_size bigint not null,
  digest text not null,
  file_count integer not null,
  created_by text not null,
  created_at timestamp with time zone default now() not null,
  expires_at timestamp with time zone not null,
  look_at timestamp with time zone not null,
  constraint task_bundles_pkey PRIMARY KEY (id),
  constraint task_bundles_storage_key_key UNIQUE (storage_key),
  constraint task_bundles_archive_format_check CHECK (archive_format = ANY (ARRAY['zip'::text, 'tar.gz'::text])),
  constraint task_bundles_byte_size_check CHECK (byte_size >= 1 AND byte_size <= 67108864),
  constraint task_bundles_digest_check CHECK (digest ~ '^sha256:[0-9a-f]{64}$'::text),
  constraint task_bundles_file_count_check CHECK (file_count >= 1 AND file_count <= 2000),
  constraint task_bundles_filename_check CHECK (length(filename) <= 255),
  constraint task_bundles_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint task_bundles_task_id_fkey FOREIGN KEY (task_id) REFERENCES tasks(id)
);
CREATE INDEX task_bundles_sweep ON task_bundles USING btree (look_at);
CREATE TRIGGER audit_changes AFTER INSERT ON task_bundles FOR EACH ROW WHEN (true) EXECUTE FUNCTION record_row_change('task_bundle', 'id', '');
CREATE TRIGGER count_kept_bundles_delete AFTER DELETE ON task_bundles REFERENCING OLD TABLE AS olds FOR EACH STATEMENT EXECUTE FUNCTION count_kept('bundles', 'byte_size', 'company_id');
CREATE TRIGGER count_kept_bundles_insert AFTER INSERT ON task_bundles REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('bundles', 'byte_size', 'company_id');
CREATE TRIGGER count_kept_bundles_update AFTER UPDATE ON task_bundles REFERENCING OLD TABLE AS olds NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('bundles', 'byte_size', 'company_id');

create table task_versions (
  id text not null,
  task_id text not null,
  company_id text not null,
  version_number integer not null,
  state text default 'draft'::text not null,
  content_state text default 'active'::text not null,
  environment_version_id text not null,
  startup_script text default ''::text not null,
  work_script text default ''::text not null,
  work_command text,
  ordinary_env jsonb,
  input_instructions text,
  input_example text,
  input_schema text,
  timeout_seconds integer default 1800 not null,
  secret_slot_declarations jsonb,
  requires_confirmation boolean default false not null,
  output_policy jsonb,
  canonical_digest text not null,
  content_hash text not null,
  created_by text not null,
  created_at timestamp with time zone default now() not null,
  published_at timestamp with time zone,
  archived_at timestamp with time zone,
  bundle_id text,
  bundle_digest text,
  published_by text,
  sole_author boolean default false not null,
  constraint task_versions_pkey PRIMARY KEY (id),
  constraint task_versions_company_id_task_id_id_key UNIQUE (company_id, task_id, id),
  constraint task_versions_task_id_version_number_key UNIQUE (task_id, version_number),
  constraint task_versions_check CHECK (state <> 'published'::text OR published_at IS NOT NULL),
  constraint task_versions_check1 CHECK ((bundle_id IS NULL) = (bundle_digest IS NULL)),
  constraint task_versions_content_state_check CHECK (content_state = ANY (ARRAY['active'::text, 'scrubbed'::text])),
  constraint task_versions_state_check CHECK (state = ANY (ARRAY['draft'::text, 'published'::text, 'archived'::text])),
  constraint task_versions_timeout_seconds_check CHECK (timeout_seconds >= 1 AND timeout_seconds <= 604680),
  constraint task_versions_version_number_check CHECK (version_number >= 1),
  constraint task_versions_bundle_id_fkey FOREIGN KEY (bundle_id) REFERENCES task_bundles(id),
  constraint task_versions_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint task_versions_environment_version_id_fkey FOREIGN KEY (environment_version_id) REFERENCES environment_versions(id),
  constraint task_versions_task_id_fkey FOREIGN KEY (task_id) REFERENCES tasks(id)
);
CREATE INDEX task_versions_by_bundle ON task_versions USING btree (bundle_id) WHERE bundle_id IS NOT NULL;
CREATE INDEX task_versions_pinning ON task_versions USING btree (environment_version_id) WHERE state <> 'archived'::text;
CREATE TRIGGER audit_changes AFTER INSERT OR DELETE OR UPDATE ON task_versions FOR EACH ROW WHEN (true) EXECUTE FUNCTION record_row_change('task_version', 'id', '');
CREATE TRIGGER count_kept_scripts_delete AFTER DELETE ON task_versions REFERENCING OLD TABLE AS olds FOR EACH STATEMENT EXECUTE FUNCTION count_kept('scripts', 'octet_length(startup_script) + octet_length(work_script) + coalesce(octet_length(work_command), 0) + coalesce(octet_length(input_instructions), 0) + coalesce(octet_length(input_example), 0) + coalesce(octet_length(input_schema), 0)', 'company_id');
CREATE TRIGGER count_kept_scripts_insert AFTER INSERT ON task_versions REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('scripts', 'octet_length(startup_script) + octet_length(work_script) + coalesce(octet_length(work_command), 0) + coalesce(octet_length(input_instructions), 0) + coalesce(octet_length(input_example), 0) + coalesce(octet_length(input_schema), 0)', 'company_id');
CREATE TRIGGER count_kept_scripts_update AFTER UPDATE ON task_versions REFERENCING OLD TABLE AS olds NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('scripts', 'octet_length(startup_script) + octet_length(work_script) + coalesce(octet_length(work_command), 0) + coalesce(octet_length(input_instructions), 0) + coalesce(octet_length(input_example), 0) + coalesce(octet_length(input_schema), 0)', 'company_id');
CREATE TRIGGER count_kept_tasks_delete AFTER DELETE ON task_versions REFERENCING OLD TABLE AS olds FOR EACH STATEMENT EXECUTE FUNCTION count_kept('tasks', '1024 + coalesce(octet_length(ordinary_env::text), 0) + coalesce(octet_length(secret_slot_declarations::text), 0) + coalesce(octet_length(output_policy::text), 0)', 'company_id');
CREATE TRIGGER count_kept_tasks_insert AFTER INSERT ON task_versions REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('tasks', '1024 + coalesce(octet_length(ordinary_env::text), 0) + coalesce(octet_length(secret_slot_declarations::text), 0) + coalesce(octet_length(output_policy::text), 0)', 'company_id');
CREATE TRIGGER count_kept_tasks_update AFTER UPDATE ON task_versions REFERENCING OLD TABLE AS olds NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('tasks', '1024 + coalesce(octet_length(ordinary_env::text), 0) + coalesce(octet_length(secret_slot_declarations::text), 0) + coalesce(octet_length(output_policy::text), 0)', 'company_id');
CREATE TRIGGER keep_referred AFTER DELETE OR UPDATE OF id, company_id, task_id ON task_versions FOR EACH ROW EXECUTE FUNCTION keep_referred('task_version_id');
CREATE TRIGGER notify_of_task_version AFTER UPDATE OF state, content_state ON task_versions FOR EACH ROW EXECUTE FUNCTION notify_of_task();

create table tasks (
  id text not null,
  company_id text not null,
  owner_scope text not null,
  owner_id text not null,
  name text not null,
  description text default ''::text not null,
  agent_enabled boolean default false not null,
  state text default 'active'::text not null,
  security_state text default 'clear'::text not null,
  current_published_version_id text,
  current_draft_version_id text,
  created_at timestamp with time zone default now() not null,
  hidden boolean default false not null,
  egress_allow_list jsonb,
  constraint tasks_pkey PRIMARY KEY (id),
  constraint tasks_description_check CHECK (length(description) <= 2048),
  constraint tasks_egress_allow_list_check CHECK (jsonb_typeof(egress_allow_list) = 'object'::text),
  constraint tasks_name_check CHECK (length(name) >= 1 AND length(name) <= 256),
  constraint tasks_owner_scope_check CHECK (owner_scope = ANY (ARRAY['chatroom'::text, 'department'::text, 'company'::text])),
  constraint tasks_security_state_check CHECK (security_state = ANY (ARRAY['clear'::text, 'blocked'::text])),
  constraint tasks_state_check CHECK (state = ANY (ARRAY['active'::text, 'archived'::text])),
  constraint tasks_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);
CREATE INDEX tasks_listed ON tasks USING btree (company_id, id) WHERE NOT hidden;
CREATE TRIGGER audit_changes AFTER INSERT OR DELETE OR UPDATE ON tasks FOR EACH ROW WHEN (true) EXECUTE FUNCTION record_row_change('task', 'id', '');
CREATE TRIGGER count_kept_tasks_delete AFTER DELETE ON tasks REFERENCING OLD TABLE AS olds FOR EACH STATEMENT EXECUTE FUNCTION count_kept('tasks', '512 + octet_length(name) + octet_length(description) + coalesce(octet_length(egress_allow_list::text), 0)', 'company_id');
CREATE TRIGGER count_kept_tasks_insert AFTER INSERT ON tasks REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('tasks', '512 + octet_length(name) + octet_length(description) + coalesce(octet_length(egress_allow_list::text), 0)', 'company_id');
CREATE TRIGGER count_kept_tasks_update AFTER UPDATE ON tasks REFERENCING OLD TABLE AS olds NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('tasks', '512 + octet_length(name) + octet_length(description) + coalesce(octet_length(egress_allow_list::text), 0)', 'company_id');
CREATE TRIGGER notify_of_task AFTER UPDATE OF name, description, state, security_state, current_published_version_id ON tasks FOR EACH ROW EXECUTE FUNCTION notify_of_task();

create table upload_sessions (
  id text not null,
  company_id text not null,
  environment_id text,
  object_kind text not null,
  archive_format text not null,
  declared_bytes bigint not null,
  state text not null,
  capability_hash bytea not null,
  capability_expires_at timestamp with time zone not null,
  session_expires_at timestamp with time zone not null,
  received_bytes bigint,
  received_digest text,
  storage_key text,
  receiving_until timestamp with time zone,
  owned_object_id text,
  created_by text not null,
  created_at timestamp with time zone default now() not null,
  unused_key text,
  constraint upload_sessions_pkey PRIMARY KEY (id),
  constraint upload_sessions_archive_format_check CHECK (archive_format = ANY (ARRAY['zip'::text, 'tar'::text, 'tar.gz'::text])),
  constraint upload_sessions_check CHECK ((state = 'completed'::text) = (owned_object_id IS NOT NULL)),
  constraint upload_sessions_declared_bytes_check CHECK (declared_bytes >= 1 AND declared_bytes <= 1073741824),
  constraint upload_sessions_object_kind_check CHECK (object_kind = 'context'::text),
  constraint upload_sessions_state_check CHECK (state = ANY (ARRAY['initiating'::text, 'uploading'::text, 'completing'::text, 'completed'::text, 'abort_pending'::text, 'aborted'::text])),
  constraint upload_sessions_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint upload_sessions_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id)
);
CREATE INDEX upload_sessions_expiry ON upload_sessions USING btree (session_expires_at) WHERE state = ANY (ARRAY['uploading'::text, 'completing'::text, 'abort_pending'::text]);
CREATE INDEX upload_sessions_live ON upload_sessions USING btree (company_id) WHERE state = ANY (ARRAY['initiating'::text, 'uploading'::text, 'completing'::text, 'abort_pending'::text]);
CREATE INDEX upload_sessions_recent ON upload_sessions USING btree (company_id, created_at);
CREATE INDEX upload_sessions_unused ON upload_sessions USING btree (receiving_until) WHERE unused_key IS NOT NULL;
CREATE TRIGGER audit_changes AFTER UPDATE OF received_digest ON upload_sessions FOR EACH ROW WHEN (true) EXECUTE FUNCTION record_row_change('upload_session', 'id', '');
CREATE TRIGGER count_kept_uploads_delete AFTER DELETE ON upload_sessions REFERENCING OLD TABLE AS olds FOR EACH STATEMENT EXECUTE FUNCTION count_kept('uploads', 'case when state in (''completed'', ''aborted'') then 0 else declared_bytes end', 'company_id');
CREATE TRIGGER count_kept_uploads_insert AFTER INSERT ON upload_sessions REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('uploads', 'case when state in (''completed'', ''aborted'') then 0 else declared_bytes end', 'company_id');
CREATE TRIGGER count_kept_uploads_update AFTER UPDATE ON upload_sessions REFERENCING OLD TABLE AS olds NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('uploads', 'case when state in (''completed'', ''aborted'') then 0 else declared_bytes end', 'company_id');

create table usage_changes (
  place bigint generated always as identity not null,
  company_id text not null,
  day date not null,
  kind text not null,
  subject_id text not null,
  chatroom_id text not null,
  department_id text,
  principal_type text not null,
  principal_id text not null,
  seconds bigint not null,
  ingress_bytes bigint not null,
  egress_bytes bigint not null,
  cost_micro bigint not null,
  constraint usage_changes_pkey PRIMARY KEY (place)
);
CREATE INDEX usage_changes_by_company ON usage_changes USING btree (company_id);

create table usage_days (
  company_id text not null,
  day date not null,
  kind text not null,
  subject_id text not null,
  chatroom_id text not null,
  department_id text not null,
  principal_type text not null,
  principal_id text not null,
  count bigint not null,
  seconds bigint not null,
  ingress_bytes bigint not null,
  egress_bytes bigint not null,
  cost_micro bigint not null,
  constraint usage_days_pkey PRIMARY KEY (company_id, day, kind, subject_id, chatroom_id, department_id, principal_type, principal_id),
  constraint usage_days_kind_check CHECK (kind = ANY (ARRAY['run'::text, 'build'::text]))
);

create table users (
  id text not null,
  company_id text not null,
  login text not null,
  display_name text not null,
  password_hash text,
  role integer not null,
  credential_generation integer default 1 not null,
  disabled_at timestamp with time zone,
  created_at timestamp with time zone default now() not null,
  email text,
  constraint users_pkey PRIMARY KEY (id),
  constraint users_company_id_id_key UNIQUE (company_id, id),
  constraint users_login_key UNIQUE (login),
  constraint users_credential_generation_check CHECK (credential_generation >= 1),
  constraint users_email_check CHECK (length(email) >= 3 AND length(email) <= 254 AND email !~ '[[:cntrl:][:space:]]'::text),
  constraint users_login_check CHECK (login ~ '^[A-Za-z0-9_.:@-]{1,64}$'::text),
  constraint users_role_check CHECK (role >= 0 AND role <= 4),
  constraint users_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);
CREATE TRIGGER audit_changes AFTER INSERT OR DELETE OR UPDATE ON users FOR EACH ROW WHEN (true) EXECUTE FUNCTION record_row_change('user', 'id', '');
CREATE TRIGGER count_kept_directory_delete AFTER DELETE ON users REFERENCING OLD TABLE AS olds FOR EACH STATEMENT EXECUTE FUNCTION count_kept('directory', '1024 + 3 * octet_length(login) + octet_length(display_name) + coalesce(octet_length(email), 0)', 'company_id');
CREATE TRIGGER count_kept_directory_insert AFTER INSERT ON users REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('directory', '1024 + 3 * octet_length(login) + octet_length(display_name) + coalesce(octet_length(email), 0)', 'company_id');
CREATE TRIGGER count_kept_directory_update AFTER UPDATE ON users REFERENCING OLD TABLE AS olds NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION count_kept('directory', '1024 + 3 * octet_length(login) + octet_length(display_name) + coalesce(octet_length(email), 0)', 'company_id');

create table vulnerabilities (
  ecosystem text not null,
  package text not null,
  id text not null,
  severity text not null,
  title text not null,
  affected jsonb not null,
  constraint vulnerabilities_pkey PRIMARY KEY (ecosystem, package, id),
  constraint vulnerabilities_id_check CHECK (length(id) >= 1 AND length(id) <= 256),
  constraint vulnerabilities_severity_check CHECK (severity = ANY (ARRAY['critical'::text, 'high'::text, 'medium'::text, 'low'::text, 'unknown'::text])),
  constraint vulnerabilities_title_check CHECK (length(title) <= 512)
);

create table vulnerability_imports (
  revision integer generated always as identity not null,
  digest text not null,
  ecosystems text[] not null,
  vulnerabilities integer not null,
  imported_at timestamp with time zone default now() not null,
  constraint vulnerability_imports_pkey PRIMARY KEY (revision),
  constraint vulnerability_imports_digest_check CHECK (digest ~ '^sha256:[0-9a-f]{64}$'::text),
  constraint vulnerability_imports_vulnerabilities_check CHECK (vulnerabilities >= 0)
);
CREATE TRIGGER audit_changes AFTER INSERT ON vulnerability_imports FOR EACH ROW WHEN (true) EXECUTE FUNCTION record_row_change('vulnerability_import', 'revision', '');

create table webhook_deliveries (
  id text not null,
  place bigint generated always as identity not null,
  company_id text not null,
  webhook_id text not null,
  event_id text not null,
  event text not null,
  body text not null,
  lane text not null,
  attempts integer default 0 not null,
  due_at timestamp with time zone not null,
  give_up_at timestamp with time zone not null,
  created_at timestamp with time zone default now() not null,
  attempted_at timestamp with time zone,
  status integer,
  error text,
  outcome text,
  worker text,
  constraint webhook_deliveries_pkey PRIMARY KEY (id),
  constraint webhook_deliveries_webhook_id_event_id_key UNIQUE (webhook_id, event_id),
  constraint webhook_deliveries_attempts_check CHECK (attempts >= 0),
  constraint webhook_deliveries_body_check CHECK (octet_length(body) <= 8192),
  constraint webhook_deliveries_lane_check CHECK (lane = ANY (ARRAY['first'::text, 'retry'::text])),
  constraint webhook_deliveries_outcome_check CHECK (outcome = ANY (ARRAY['delivered'::text, 'failed'::text])),
  constraint webhook_deliveries_company_id_webhook_id_fkey FOREIGN KEY (company_id, webhook_id) REFERENCES webhooks(company_id, id) ON DELETE CASCADE
);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries USING btree (lane, company_id, due_at) WHERE outcome IS NULL;
CREATE INDEX webhook_deliveries_history ON webhook_deliveries USING btree (webhook_id, place DESC);
CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries USING btree (webhook_id) WHERE outcome IS NULL;
CREATE TRIGGER audit_changes AFTER UPDATE OF outcome ON webhook_deliveries FOR EACH ROW WHEN (old.outcome IS NOT NULL AND new.outcome IS NULL) EXECUTE FUNCTION record_row_change('webhook_delivery', 'id', '');

create table webhook_secrets (
  id text not null,
  company_id text not null,
  webhook_id text not null,
  key_id text not null,
  wrapped_key bytea not null,
  iv bytea not null,
  ciphertext bytea not null,
  created_at timestamp with time zone default now() not null,
  expires_at timestamp with time zone,
  constraint webhook_secrets_pkey PRIMARY KEY (id),
  constraint webhook_secrets_company_id_webhook_id_fkey FOREIGN KEY (company_id, webhook_id) REFERENCES webhooks(company_id, id) ON DELETE CASCADE
);
CREATE INDEX webhook_secrets_key ON webhook_secrets USING btree (key_id, id);
CREATE INDEX webhook_secrets_of ON webhook_secrets USING btree (webhook_id);
CREATE TRIGGER audit_changes AFTER INSERT OR DELETE OR UPDATE ON webhook_secrets FOR EACH ROW WHEN (true) EXECUTE FUNCTION record_row_change('webhook_secret', 'id', '');

create table webhooks (
  id text not null,
  company_id text not null,
  url text not null,
  description text not null,
  events text[] not null,
  created_by text not null,
  created_at timestamp with time zone default now() not null,
  paused_at timestamp with time zone,
  paused_because text,
  failing_since timestamp with time zone,
  dropped integer default 0 not null,
  is_slow boolean default false not null,
  constraint webhooks_pkey PRIMARY KEY (id),
  constraint webhooks_company_id_id_key UNIQUE (company_id, id),
  constraint webhooks_check CHECK ((paused_at IS NULL) = (paused_because IS NULL)),
  constraint webhooks_description_check CHECK (length(description) <= 256),
  constraint webhooks_paused_because_check CHECK (paused_because = ANY (ARRAY['manager'::text, 'gone'::text, 'failing'::text])),
  constraint webhooks_url_check CHECK (length(url) >= 1 AND length(url) <= 2048),
  constraint webhooks_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);
CREATE TRIGGER audit_changes AFTER INSERT OR DELETE OR UPDATE ON webhooks FOR EACH ROW WHEN (true) EXECUTE FUNCTION record_row_change('webhook', 'id', 'failing_since,dropped,is_slow');

create table workers (
  id text not null,
  executor text not null,
  started_at timestamp with time zone default clock_timestamp() not null,
  beat_at timestamp with time zone default clock_timestamp() not null,
  constraint workers_pkey PRIMARY KEY (id),
  constraint workers_id_check CHECK (length(id) >= 1 AND length(id) <= 64),
  constraint workers_executor_fkey FOREIGN KEY (executor) REFERENCES executors(id)
);
CREATE INDEX workers_by_executor ON workers USING btree (executor);

create view kept_sources as
 SELECT company_id,
    kind,
    bytes
   FROM sum_kept_rows() sum_kept_rows(company_id, kind, bytes);

CREATE OR REPLACE FUNCTION public.append_audit_entry(p audit_pending, head audit_chains)
 RETURNS audit_chains
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare
  c jsonb := public.audit_context(p.context);
  e audit_entries;
begin
  e.company_id := head.company_id;
  e.sequence := head.sequence + 1;
  e.at := p.at;
  e.action := left(coalesce(c->>'action', 'service'), 128);
  e.actor_type := left(coalesce(c->>'actor_type', 'service'), 64);
  e.actor_id := left(coalesce(c->>'actor_id', p.account), 256);
  e.api_key_id := left(c->>'api_key_id', 64);
  e.turn_id := left(c->>'turn_id', 64);
  e.request_id := left(c->>'request_id', 64);
  e.change := p.change;
  e.object_type := p.object_type;
  e.object_id := left(p.object_id, 256);
  e.chatroom_id := left(coalesce(p.chatroom_id, c->>'chatroom_id'), 64);
  e.run_id := coalesce(p.run_id, left(c->>'run_id', 64));
  e.slot := p.slot;
  e.from_state := p.from_state;
  e.to_state := p.to_state;
  e.digest_before := p.digest_before;
  e.digest_after := p.digest_after;
  e.hash := audit_entry_hash(e, head.hash);
  insert into audit_entries values (e.*);
  head.sequence := e.sequence;
  head.hash := e.hash;
  return head;
end $function$
;

CREATE OR REPLACE FUNCTION public.audit_chain_for_update(company text)
 RETURNS audit_chains
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare
  head audit_chains;
  newest audit_entries;
begin
  insert into audit_chains (company_id) values (company) on conflict do nothing;
  select * into head from audit_chains where company_id = company for update;
  select * into newest from audit_entries where company_id = company order by sequence desc limit 1;
  if newest.sequence > head.sequence then
    head.sequence := newest.sequence;
    head.hash := newest.hash;
  end if;
  return head;
end $function$
;

CREATE OR REPLACE FUNCTION public.audit_context(context text)
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
begin
  if context = '' or jsonb_typeof(context::jsonb) <> 'object' then
    return '{}';
  end if;
  return context::jsonb;
exception when others then
  return '{}';
end $function$
;

CREATE OR REPLACE FUNCTION public.audit_entry_hash(e audit_entries, before bytea)
 RETURNS bytea
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
  select sha256(convert_to(jsonb_build_array(
    encode(before, 'hex'), e.company_id, e.sequence, (extract(epoch from e.at) * 1000)::bigint, e.action, e.actor_type,
    e.actor_id, e.api_key_id, e.turn_id, e.request_id, e.change, e.object_type, e.object_id, e.chatroom_id, e.run_id,
    e.slot, e.from_state, e.to_state, encode(e.digest_before, 'hex'), encode(e.digest_after, 'hex')
  )::text, 'UTF8'))
$function$
;

CREATE OR REPLACE FUNCTION public.chain_audit_entries(most integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare
  p audit_pending;
  head audit_chains;
  ids bigint[] := '{}';
begin
  if not lock_audit_chains() then
    return 0;
  end if;
  for p in
    select * from (select * from audit_pending order by id limit most) oldest order by company_id, id
  loop
    if head.company_id is distinct from p.company_id then
      update audit_chains set sequence = head.sequence, hash = head.hash where company_id = head.company_id;
      head := audit_chain_for_update(p.company_id);
    end if;
    head := append_audit_entry(p, head);
    ids := ids || p.id;
  end loop;
  update audit_chains set sequence = head.sequence, hash = head.hash where company_id = head.company_id;
  delete from audit_pending where id = any(ids);
  return cardinality(ids);
end $function$
;

CREATE OR REPLACE FUNCTION public.chain_operator_act()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  last operator_acts;
begin
  perform pg_advisory_xact_lock(hashtext('operator_acts'));
  select * into last from operator_acts order by sequence desc limit 1;
  new.sequence := coalesce(last.sequence, 0) + 1;
  new.hash := operator_act_hash(new, coalesce(last.hash, ''));
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.count_deleted_state_events()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into kept_byte_changes (company_id, kind, bytes)
  select company_id, 'state_events', -320 * count(*) from olds
  where entity <> 'run' and company_id is not null group by company_id;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.count_ended_run()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into run_count_changes
    (company_id, task_id, day, chatroom_id, principal_type, submission_source, state, runs)
  values (new.company_id, new.task_id, (new.queued_at at time zone 'UTC')::date, new.chatroom_id,
    new.principal_type, new.submission_source, new.state, 1);
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.count_kept()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  added constant text := format('select %I as company_id, (%s)::bigint as bytes from news', tg_argv[2], tg_argv[1]);
  removed constant text := format('select %I as company_id, -(%s)::bigint as bytes from olds', tg_argv[2], tg_argv[1]);
begin
  execute format(
    'insert into kept_byte_changes (company_id, kind, bytes)
     select company_id, %L, sum(bytes) from (%s) changed
     where company_id is not null group by company_id having sum(bytes) <> 0',
    tg_argv[0],
    case tg_op when 'INSERT' then added when 'DELETE' then removed else added || ' union all ' || removed end);
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.count_kept_agent_proposals()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        if tg_op = 'INSERT' then
          insert into kept_byte_changes (company_id, kind, bytes)
          select company_id, 'proposals', sum(1024 + octet_length(input))::bigint from news group by 1 having sum(1024 + octet_length(input)) <> 0;
        elsif tg_op = 'DELETE' then
          insert into kept_byte_changes (company_id, kind, bytes)
          select company_id, 'proposals', -sum(1024 + octet_length(input))::bigint from olds group by 1 having sum(1024 + octet_length(input)) <> 0;
        else
          insert into kept_byte_changes (company_id, kind, bytes)
          select company_id, 'proposals', sum(bytes)::bigint from (
            select company_id as company_id, 1024 + octet_length(input) as bytes from news union all select company_id, -(1024 + octet_length(input)) from olds
          ) changed group by company_id having sum(bytes) <> 0;
        end if;
        return null;
      end $function$
;

CREATE OR REPLACE FUNCTION public.count_kept_audit_chains()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        if tg_op = 'INSERT' then
          insert into kept_byte_changes (company_id, kind, bytes)
          select company_id, 'audit_log', sum(case when company_id = '' then 0 else 1024 * (sequence - start_sequence) end)::bigint from news group by 1 having sum(case when company_id = '' then 0 else 1024 * (sequence - start_sequence) end) <> 0;
        elsif tg_op = 'DELETE' then
          insert into kept_byte_changes (company_id, kind, bytes)
          select company_id, 'audit_log', -sum(case when company_id = '' then 0 else 1024 * (sequence - start_sequence) end)::bigint from olds group by 1 having sum(case when company_id = '' then 0 else 1024 * (sequence - start_sequence) end) <> 0;
        else
          insert into kept_byte_changes (company_id, kind, bytes)
          select company_id, 'audit_log', sum(bytes)::bigint from (
            select company_id as company_id, case when company_id = '' then 0 else 1024 * (sequence - start_sequence) end as bytes from news union all select company_id, -(case when company_id = '' then 0 else 1024 * (sequence - start_sequence) end) from olds
          ) changed group by company_id having sum(bytes) <> 0;
        end if;
        return null;
      end $function$
;

CREATE OR REPLACE FUNCTION public.count_kept_custom_table_rows()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        if tg_op = 'INSERT' then
          insert into kept_byte_changes (company_id, kind, bytes)
          select company_id, 'table_rows', sum(512 + byte_size)::bigint from news group by 1 having sum(512 + byte_size) <> 0;
        elsif tg_op = 'DELETE' then
          insert into kept_byte_changes (company_id, kind, bytes)
          select company_id, 'table_rows', -sum(512 + byte_size)::bigint from olds group by 1 having sum(512 + byte_size) <> 0;
        else
          insert into kept_byte_changes (company_id, kind, bytes)
          select company_id, 'table_rows', sum(bytes)::bigint from (
            select company_id as company_id, 512 + byte_size as bytes from news union all select company_id, -(512 + byte_size) from olds
          ) changed group by company_id having sum(bytes) <> 0;
        end if;
        return null;
      end $function$
;

CREATE OR REPLACE FUNCTION public.count_kept_custom_table_trigger_events()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        if tg_op = 'INSERT' then
          insert into kept_byte_changes (company_id, kind, bytes)
          select company_id, 'trigger_events', sum(512 + byte_size)::bigint from news group by 1 having sum(512 + byte_size) <> 0;
        elsif tg_op = 'DELETE' then
          insert into kept_byte_changes (company_id, kind, bytes)
          select company_id, 'trigger_events', -sum(512 + byte_size)::bigint from olds group by 1 having sum(512 + byte_size) <> 0;
        else
          insert into kept_byte_changes (company_id, kind, bytes)
          select company_id, 'trigger_events', sum(bytes)::bigint from (
            select company_id as company_id, 512 + byte_size as bytes from news union all select company_id, -(512 + byte_size) from olds
          ) changed group by company_id having sum(bytes) <> 0;
        end if;
        return null;
      end $function$
;

CREATE OR REPLACE FUNCTION public.count_kept_idempotency_keys()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        if tg_op = 'INSERT' then
          insert into kept_byte_changes (company_id, kind, bytes)
          select company_id, 'requests', sum(case when run_id is null then 512 + 2 * octet_length(key) + coalesce(octet_length(response::text), 0) else 0 end)::bigint from news group by 1 having sum(case when run_id is null then 512 + 2 * octet_length(key) + coalesce(octet_length(response::text), 0) else 0 end) <> 0;
        elsif tg_op = 'DELETE' then
          insert into kept_byte_changes (company_id, kind, bytes)
          select company_id, 'requests', -sum(case when run_id is null then 512 + 2 * octet_length(key) + coalesce(octet_length(response::text), 0) else 0 end)::bigint from olds group by 1 having sum(case when run_id is null then 512 + 2 * octet_length(key) + coalesce(octet_length(response::text), 0) else 0 end) <> 0;
        else
          insert into kept_byte_changes (company_id, kind, bytes)
          select company_id, 'requests', sum(bytes)::bigint from (
            select company_id as company_id, case when run_id is null then 512 + 2 * octet_length(key) + coalesce(octet_length(response::text), 0) else 0 end as bytes from news union all select company_id, -(case when run_id is null then 512 + 2 * octet_length(key) + coalesce(octet_length(response::text), 0) else 0 end) from olds
          ) changed group by company_id having sum(bytes) <> 0;
        end if;
        return null;
      end $function$
;

CREATE OR REPLACE FUNCTION public.count_kept_layer()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  old_layer text; new_layer text;
begin
  if tg_op <> 'INSERT' then old_layer := coalesce(old.layer_digest, old.retiring_layer_digest); end if;
  if tg_op <> 'DELETE' then new_layer := coalesce(new.layer_digest, new.retiring_layer_digest); end if;
  if old_layer is distinct from new_layer then
    if new_layer is not null and new.company_id is not null then
      perform hold_image(new.company_id, new_layer,
        coalesce(new.compressed_bytes, 0) + coalesce(new.unpacked_bytes, 0));
    end if;
    if old_layer is not null and old.company_id is not null then
      perform drop_image(old.company_id, old_layer);
    end if;
  end if;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.count_kept_of(counted regclass, kind text, bytes text, changes boolean DEFAULT false, company text DEFAULT 'company_id'::text, planned boolean DEFAULT false)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  bytes_in_a_line constant text := regexp_replace(bytes, '\s+', ' ', 'g');
  counter text := 'count_kept';
  event record;
begin
  if planned then
    counter := format('count_kept_%s', counted);
    execute format($body$
      create function %I() returns trigger language plpgsql as $counter$
      begin
        if tg_op = 'INSERT' then
          insert into kept_byte_changes (company_id, kind, bytes)
          select %4$I, %2$L, sum(%3$s)::bigint from news group by 1 having sum(%3$s) <> 0;
        elsif tg_op = 'DELETE' then
          insert into kept_byte_changes (company_id, kind, bytes)
          select %4$I, %2$L, -sum(%3$s)::bigint from olds group by 1 having sum(%3$s) <> 0;
        else
          insert into kept_byte_changes (company_id, kind, bytes)
          select company_id, %2$L, sum(bytes)::bigint from (
            select %4$I as company_id, %3$s as bytes from news union all select %4$I, -(%3$s) from olds
          ) changed group by company_id having sum(bytes) <> 0;
        end if;
        return null;
      end $counter$
    $body$, counter, kind, bytes_in_a_line, company);
  end if;
  for event in
    select * from (values
      ('insert', 'new table as news'),
      ('delete', 'old table as olds'),
      ('update', 'old table as olds new table as news')
    ) as events (name, tables)
    where name <> 'update' or changes
  loop
    execute format(
      'create trigger %I after %s on %s referencing %s for each statement execute function %I(%L, %L, %L)',
      format('count_kept_%s_%s', kind, event.name), event.name, counted, event.tables, counter, kind,
      bytes_in_a_line, company);
  end loop;
end $function$
;

CREATE OR REPLACE FUNCTION public.count_kept_room_messages()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        if tg_op = 'INSERT' then
          insert into kept_byte_changes (company_id, kind, bytes)
          select company_id, 'messages', sum(1024 + octet_length(text))::bigint from news group by 1 having sum(1024 + octet_length(text)) <> 0;
        elsif tg_op = 'DELETE' then
          insert into kept_byte_changes (company_id, kind, bytes)
          select company_id, 'messages', -sum(1024 + octet_length(text))::bigint from olds group by 1 having sum(1024 + octet_length(text)) <> 0;
        else
          insert into kept_byte_changes (company_id, kind, bytes)
          select company_id, 'messages', sum(bytes)::bigint from (
            select company_id as company_id, 1024 + octet_length(text) as bytes from news union all select company_id, -(1024 + octet_length(text)) from olds
          ) changed group by company_id having sum(bytes) <> 0;
        end if;
        return null;
      end $function$
;

CREATE OR REPLACE FUNCTION public.count_kept_run_artifacts()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        if tg_op = 'INSERT' then
          insert into kept_byte_changes (company_id, kind, bytes)
          select company_id, 'artifacts', sum(512 + 2 * octet_length(relative_path))::bigint from news group by 1 having sum(512 + 2 * octet_length(relative_path)) <> 0;
        elsif tg_op = 'DELETE' then
          insert into kept_byte_changes (company_id, kind, bytes)
          select company_id, 'artifacts', -sum(512 + 2 * octet_length(relative_path))::bigint from olds group by 1 having sum(512 + 2 * octet_length(relative_path)) <> 0;
        else
          insert into kept_byte_changes (company_id, kind, bytes)
          select company_id, 'artifacts', sum(bytes)::bigint from (
            select company_id as company_id, 512 + 2 * octet_length(relative_path) as bytes from news union all select company_id, -(512 + 2 * octet_length(relative_path)) from olds
          ) changed group by company_id having sum(bytes) <> 0;
        end if;
        return null;
      end $function$
;

CREATE OR REPLACE FUNCTION public.count_kept_run_contents()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'INSERT' then
    insert into kept_byte_changes (company_id, kind, bytes)
    select company_id, part.kind, sum(part.bytes)
    from news cross join lateral run_content_bytes(state, output_bytes, log_bytes, bundle_bytes) part
    group by company_id, part.kind having sum(part.bytes) <> 0;
  elsif tg_op = 'DELETE' then
    insert into kept_byte_changes (company_id, kind, bytes)
    select company_id, part.kind, -sum(part.bytes)
    from olds cross join lateral run_content_bytes(state, output_bytes, log_bytes, bundle_bytes) part
    group by company_id, part.kind having sum(part.bytes) <> 0;
  else
    insert into kept_byte_changes (company_id, kind, bytes)
    select company_id, kind, sum(bytes) from (
      select company_id, part.kind, part.bytes
      from news cross join lateral run_content_bytes(state, output_bytes, log_bytes, bundle_bytes) part
      union all
      select company_id, part.kind, -part.bytes
      from olds cross join lateral run_content_bytes(state, output_bytes, log_bytes, bundle_bytes) part
    ) changed group by company_id, kind having sum(bytes) <> 0;
  end if;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.count_kept_run_files()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        if tg_op = 'INSERT' then
          insert into kept_byte_changes (company_id, kind, bytes)
          select company_id, 'metadata', sum(256 + octet_length(name))::bigint from news group by 1 having sum(256 + octet_length(name)) <> 0;
        elsif tg_op = 'DELETE' then
          insert into kept_byte_changes (company_id, kind, bytes)
          select company_id, 'metadata', -sum(256 + octet_length(name))::bigint from olds group by 1 having sum(256 + octet_length(name)) <> 0;
        else
          insert into kept_byte_changes (company_id, kind, bytes)
          select company_id, 'metadata', sum(bytes)::bigint from (
            select company_id as company_id, 256 + octet_length(name) as bytes from news union all select company_id, -(256 + octet_length(name)) from olds
          ) changed group by company_id having sum(bytes) <> 0;
        end if;
        return null;
      end $function$
;

CREATE OR REPLACE FUNCTION public.count_kept_run_inputs()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'INSERT' then
    insert into kept_byte_changes (company_id, kind, bytes)
    select company_id, 'inputs', sum(octet_length(content) + 3072) from news group by company_id;
  elsif tg_op = 'DELETE' then
    insert into kept_byte_changes (company_id, kind, bytes)
    select company_id, kind, sum(bytes) from (
      select company_id, part.kind, part.bytes from olds
      cross join lateral (values ('inputs', -octet_length(content) - 3072), ('runs', 2048)) as part (kind, bytes)
    ) changed group by company_id, kind;
  else
    insert into kept_byte_changes (company_id, kind, bytes)
    select company_id, 'inputs', sum(bytes) from (
      select company_id, octet_length(content) as bytes from news
      union all select company_id, -octet_length(content) from olds
    ) changed group by company_id having sum(bytes) <> 0;
  end if;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.count_kept_run_metadata()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        if tg_op = 'INSERT' then
          insert into kept_byte_changes (company_id, kind, bytes)
          select company_id, 'metadata', sum(256 + octet_length(key) + octet_length(value))::bigint from news group by 1 having sum(256 + octet_length(key) + octet_length(value)) <> 0;
        elsif tg_op = 'DELETE' then
          insert into kept_byte_changes (company_id, kind, bytes)
          select company_id, 'metadata', -sum(256 + octet_length(key) + octet_length(value))::bigint from olds group by 1 having sum(256 + octet_length(key) + octet_length(value)) <> 0;
        else
          insert into kept_byte_changes (company_id, kind, bytes)
          select company_id, 'metadata', sum(bytes)::bigint from (
            select company_id as company_id, 256 + octet_length(key) + octet_length(value) as bytes from news union all select company_id, -(256 + octet_length(key) + octet_length(value)) from olds
          ) changed group by company_id having sum(bytes) <> 0;
        end if;
        return null;
      end $function$
;

CREATE OR REPLACE FUNCTION public.count_kept_run_refusals()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        if tg_op = 'INSERT' then
          insert into kept_byte_changes (company_id, kind, bytes)
          select company_id, 'refusals', sum(octet_length(entries::text))::bigint from news group by 1 having sum(octet_length(entries::text)) <> 0;
        elsif tg_op = 'DELETE' then
          insert into kept_byte_changes (company_id, kind, bytes)
          select company_id, 'refusals', -sum(octet_length(entries::text))::bigint from olds group by 1 having sum(octet_length(entries::text)) <> 0;
        else
          insert into kept_byte_changes (company_id, kind, bytes)
          select company_id, 'refusals', sum(bytes)::bigint from (
            select company_id as company_id, octet_length(entries::text) as bytes from news union all select company_id, -(octet_length(entries::text)) from olds
          ) changed group by company_id having sum(bytes) <> 0;
        end if;
        return null;
      end $function$
;

CREATE OR REPLACE FUNCTION public.count_kept_session_folders()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        if tg_op = 'INSERT' then
          insert into kept_byte_changes (company_id, kind, bytes)
          select company_id, 'sessions', sum(1280)::bigint from news group by 1 having sum(1280) <> 0;
        elsif tg_op = 'DELETE' then
          insert into kept_byte_changes (company_id, kind, bytes)
          select company_id, 'sessions', -sum(1280)::bigint from olds group by 1 having sum(1280) <> 0;
        else
          insert into kept_byte_changes (company_id, kind, bytes)
          select company_id, 'sessions', sum(bytes)::bigint from (
            select company_id as company_id, 1280 as bytes from news union all select company_id, -(1280) from olds
          ) changed group by company_id having sum(bytes) <> 0;
        end if;
        return null;
      end $function$
;

CREATE OR REPLACE FUNCTION public.count_kept_session_packs()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        if tg_op = 'INSERT' then
          insert into kept_byte_changes (company_id, kind, bytes)
          select company_id, 'sessions', sum(4096 + byte_size)::bigint from news group by 1 having sum(4096 + byte_size) <> 0;
        elsif tg_op = 'DELETE' then
          insert into kept_byte_changes (company_id, kind, bytes)
          select company_id, 'sessions', -sum(4096 + byte_size)::bigint from olds group by 1 having sum(4096 + byte_size) <> 0;
        else
          insert into kept_byte_changes (company_id, kind, bytes)
          select company_id, 'sessions', sum(bytes)::bigint from (
            select company_id as company_id, 4096 + byte_size as bytes from news union all select company_id, -(4096 + byte_size) from olds
          ) changed group by company_id having sum(bytes) <> 0;
        end if;
        return null;
      end $function$
;

CREATE OR REPLACE FUNCTION public.count_kept_session_trees()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        if tg_op = 'INSERT' then
          insert into kept_byte_changes (company_id, kind, bytes)
          select company_id, 'sessions', sum(1024 + octet_length(content))::bigint from news group by 1 having sum(1024 + octet_length(content)) <> 0;
        elsif tg_op = 'DELETE' then
          insert into kept_byte_changes (company_id, kind, bytes)
          select company_id, 'sessions', -sum(1024 + octet_length(content))::bigint from olds group by 1 having sum(1024 + octet_length(content)) <> 0;
        else
          insert into kept_byte_changes (company_id, kind, bytes)
          select company_id, 'sessions', sum(bytes)::bigint from (
            select company_id as company_id, 1024 + octet_length(content) as bytes from news union all select company_id, -(1024 + octet_length(content)) from olds
          ) changed group by company_id having sum(bytes) <> 0;
        end if;
        return null;
      end $function$
;

CREATE OR REPLACE FUNCTION public.count_kept_sessions()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        if tg_op = 'INSERT' then
          insert into kept_byte_changes (company_id, kind, bytes)
          select company_id, 'sessions', sum(1024)::bigint from news group by 1 having sum(1024) <> 0;
        elsif tg_op = 'DELETE' then
          insert into kept_byte_changes (company_id, kind, bytes)
          select company_id, 'sessions', -sum(1024)::bigint from olds group by 1 having sum(1024) <> 0;
        else
          insert into kept_byte_changes (company_id, kind, bytes)
          select company_id, 'sessions', sum(bytes)::bigint from (
            select company_id as company_id, 1024 as bytes from news union all select company_id, -(1024) from olds
          ) changed group by company_id having sum(bytes) <> 0;
        end if;
        return null;
      end $function$
;

CREATE OR REPLACE FUNCTION public.count_live_run()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  -- A run that leaves its slot keeps its executor until it is claimed again.
  insert into live_run_changes (company_id, chatroom_id, executor, resource_profile, runs)
  values (new.company_id, new.chatroom_id, coalesce(new.executor, ''), new.resource_profile, case when is_live_run(new.state) then 1 else -1 end);
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.count_state_event()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into kept_byte_changes (company_id, kind, bytes) values (new.company_id, 'state_events', 320);
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.drop_image(company text, layer text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  update kept_images set versions = versions - 1 where company_id = company and layer_digest = layer;
  delete from kept_images where company_id = company and layer_digest = layer and versions = 0;
end $function$
;

CREATE OR REPLACE FUNCTION public.hold_image(company text, layer text, bytes bigint)
 RETURNS void
 LANGUAGE sql
AS $function$
  insert into kept_images (company_id, layer_digest, versions, byte_size) values (company, layer, 1, bytes)
  on conflict (company_id, layer_digest) do update set versions = kept_images.versions + 1
$function$
;

CREATE OR REPLACE FUNCTION public.is_live_run(state text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select state in ('starting', 'running', 'cancel_requested')
$function$
;

CREATE OR REPLACE FUNCTION public.keep_audit_entries()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'DELETE' and current_setting('sandbox_jobs.audit_trim', true) = 'on' then
    return null;
  end if;
  raise exception 'audit_entries is only ever added to';
end $function$
;

CREATE OR REPLACE FUNCTION public.keep_operator_acts()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'operator_acts is only ever added to';
end
$function$
;

CREATE OR REPLACE FUNCTION public.keep_references()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise foreign_key_violation using message = 'what a run refers to does not change';
end $function$
;

CREATE OR REPLACE FUNCTION public.keep_referred()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare referred boolean;
begin
  -- It waits for those that are making runs; later ones find what has become of the row.
  lock table runs in share mode;
  execute format('select exists (select from runs where %I = $1)', tg_argv[0]) into referred using old.id;
  if referred then
    raise foreign_key_violation using message = format('a run refers to this row of %I', tg_table_name);
  end if;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.leave_session_pack()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update session_packs set held_until = now() where id = old.pack_id and company_id = old.company_id;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.leave_session_tree()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update session_trees set left_at = now() where id = old.tree_id and company_id = old.company_id;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.lock_audit_chains()
 RETURNS boolean
 LANGUAGE sql
AS $function$
  select pg_try_advisory_xact_lock(7210, 0)
$function$
;

CREATE OR REPLACE FUNCTION public.note_made_runs()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  -- Each by its key: in any other form Postgres may read whole tables.
  if exists (
    select from news where
      (select id from chatrooms where id = news.chatroom_id and company_id = news.company_id) is null
      or (select id from task_versions where id = news.task_version_id and company_id = news.company_id
        and task_id = news.task_id) is null
      or (select id from environment_versions where id = news.environment_version_id) is null
      or news.share_grant_id is not null
        and (select id from share_grants where id = news.share_grant_id) is null
  ) then
    raise foreign_key_violation using message = 'a run refers to a row that is not there';
  end if;
  perform take_turns(array(select distinct company_id from news where state = 'queued'));
  insert into run_count_changes
    (company_id, task_id, day, chatroom_id, principal_type, submission_source, state, runs)
  select company_id, task_id, (queued_at at time zone 'UTC')::date as day, chatroom_id, principal_type,
    submission_source, counted.state, count(*)
  from news cross join lateral (
    select '' as state union all select news.state where news.terminal_at is not null
  ) counted
  group by company_id, task_id, day, chatroom_id, principal_type, submission_source, counted.state;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.notify_after_commit(channel text, payload text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  -- A client gets this level whatever its settings.
  raise info using message = channel, detail = payload, errcode = 'SJ001';
end $function$
;

CREATE OR REPLACE FUNCTION public.notify_company_change(company text, kind text, id text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from state_watches where subject_id = company) then
    perform notify_after_commit('company_changes', company || ' ' || kind || ' ' || id);
  end if;
end $function$
;

CREATE OR REPLACE FUNCTION public.notify_of_binding()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform notify_company_change(new.company_id, 'menu', new.chatroom_id);
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.notify_of_consumer()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform notify_company_change(new.company_id, 'menu',
    case new.consumer_scope when 'chatroom' then new.consumer_id else '*' end);
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.notify_of_notification()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform notify_company_change(company_id, 'user', user_id)
  from (select distinct company_id, user_id from changed) people;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.notify_of_proposal()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform notify_company_change(new.company_id, 'proposal', new.principal_id);
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.notify_of_share()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform notify_company_change(new.company_id, 'menu',
    case new.target_kind when 'chatroom' then new.target_id else '*' end);
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.notify_of_stage()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform notify_company_change(new.company_id, 'build', new.attempt_id);
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.notify_of_task()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform notify_company_change(new.company_id, 'menu', '*');
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.notify_state_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  watched text;
begin
  for watched in select subject_id from state_watches where subject_id in (new.entity_id, new.company_id) loop
    if watched = new.company_id then
      if new.entity in ('run', 'build_attempt') then
        perform notify_after_commit('company_changes', new.company_id || ' '
          || case new.entity when 'run' then 'run' else 'build' end || ' ' || new.entity_id);
      end if;
    elsif new.from_state <> '' then
      perform notify_after_commit('state_changes', new.entity_id);
    end if;
  end loop;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.operator_act_hash(a operator_acts, before text)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  select encode(sha256(convert_to(jsonb_build_array(
    before, a.sequence, extract(epoch from a.done_at), a.account, a.act, a.subject, a.details
  )::text, 'UTF8')), 'hex')
$function$
;

CREATE OR REPLACE FUNCTION public.record_changes_of(changed regclass, kind text, key text DEFAULT 'id'::text, ignored text DEFAULT ''::text, events text DEFAULT 'insert or update or delete'::text, condition text DEFAULT 'true'::text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  execute format(
    'create trigger audit_changes after %s on %s for each row when (%s) execute function record_row_change(%L, %L, %L)',
    events, changed, condition, kind, key, ignored
  );
end $function$
;

CREATE OR REPLACE FUNCTION public.record_event()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  happened text := case
    when new.entity = 'build_attempt' and new.to_state = 'completed' then 'build_ready'
    when new.entity = 'build_attempt' and new.to_state = 'cancelled' then 'build_cancelled'
    when new.entity = 'build_attempt' and new.to_state in ('customer_failed', 'platform_failed') then 'build_failed'
    when new.entity = 'environment_version' and new.to_state = 'superseded' then 'runner_handoff_completed'
    when new.entity = 'security_exception' and new.to_state = 'active' then 'security_exception_granted'
    when new.entity = 'security_exception' then 'security_exception_' || new.to_state
    when new.entity = 'security_finding' and new.to_state = 'discovered' and new.from_state = ''
      then 'security_finding_discovered'
    when new.entity = 'security_finding' and new.to_state in ('resolved', 'reappeared', 'blocked')
      then 'security_finding_' || new.to_state
  end;
begin
  if happened is null or new.company_id is null then
    return null;
  end if;
  if new.entity = 'security_finding' then
    insert into event_outbox (company_id, event, subject_id)
    select company_id, happened, environment_id from security_findings
    where id = new.entity_id and company_id = new.company_id
    on conflict (subject_id, event, written_by) where event like 'security_finding_%'
      do update set count = event_outbox.count + 1;
  else
    insert into event_outbox (company_id, event, subject_id) values (new.company_id, happened, new.entity_id);
  end if;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.record_row_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare
  ignored text[] := string_to_array(tg_argv[2], ',');
  was jsonb;
  new_row jsonb;
  item jsonb;
  company text;
  salt bytea;
begin
  if tg_op <> 'INSERT' then
    was := to_jsonb(old) - ignored;
  end if;
  if tg_op <> 'DELETE' then
    new_row := to_jsonb(new) - ignored;
  end if;
  if was = new_row then
    return null;
  end if;
  item := coalesce(new_row, was);
  company := case when tg_table_name = 'companies' then item->>'id' else coalesce(item->>'company_id', '') end;
  select s.salt || convert_to(company, 'UTF8') into salt from audit_salt s;
  insert into audit_pending (company_id, change, object_type, object_id, chatroom_id, run_id, slot, from_state, to_state,
    digest_before, digest_after)
  values (
    company, lower(tg_op), tg_argv[0],
    (select string_agg(coalesce(item->>name, ''), '/' order by place)
     from unnest(string_to_array(tg_argv[1], ',')) with ordinality as key (name, place)),
    case when tg_table_name = 'chatrooms' then item->>'id' else item->>'chatroom_id' end,
    item->>'run_id', item->>'slot_name',
    case when was->>'state' is distinct from new_row->>'state' then was->>'state' end,
    case when was->>'state' is distinct from new_row->>'state' then new_row->>'state' end,
    sha256(salt || convert_to(was::text, 'UTF8')),
    sha256(salt || convert_to(new_row::text, 'UTF8'))
  );
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.record_run_end()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into event_outbox (company_id, event, subject_id) values (new.company_id, 'run_terminal', new.entity_id);
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.record_state_changes()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  insert into audit_pending (company_id, change, object_type, object_id, run_id, from_state, to_state)
  select coalesce(company_id, ''), 'state', entity, entity_id, case when entity = 'run' then entity_id end,
    from_state, to_state
  from made
  where entity in ('run', 'build_attempt', 'environment_version', 'upload_session')
    and (entity <> 'run' or from_state <> '')
  order by id;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.release_session()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare next_run text;
begin
  perform from sessions where id = new.session_id and company_id = new.company_id for update;
  select id into next_run from runs
    where session_id = new.session_id and company_id = new.company_id and state = 'queued' and waits_for_session
    order by queued_at, id limit 1 for update;
  if next_run is not null then
    update runs set waits_for_session = false where id = next_run and company_id = new.company_id;
    perform notify_after_commit('runs_queued', '');
  end if;
  update sessions set holder_run_id = next_run, last_used_at = now(),
      expires_at = now() + make_interval(hours => keep_hours)
    where id = new.session_id and company_id = new.company_id;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.requeued_takes_turn()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform take_turns(array[new.company_id]);
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.run_content_bytes(state text, output bigint, log bigint, bundle bigint)
 RETURNS TABLE(kind text, bytes bigint)
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select * from (values ('outputs', output), ('logs', log), ('artifacts', bundle)) as part (kind, bytes)
  where state <> 'tombstoned' and bytes is not null
$function$
;

CREATE OR REPLACE FUNCTION public.settle_charge(subject text, company text, is_billed boolean, used_seconds bigint, ingress bigint, egress bigint)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
declare
  held charges;
  billed bigint := 0;
  cost bigint := 0;
begin
  select * into held from charges where subject_id = subject and company_id = company and settled_at is null;
  if not found then return 0; end if;
  if is_billed and used_seconds is not null then
    billed := least(greatest(used_seconds, held.minimum_billed_seconds), held.reserved_seconds);
    -- A run is ended a little beyond its caps: that is not billed.
    cost := least(held.held_micro, billed::numeric * held.per_second_micro
      + ceil(ingress::numeric * held.ingress_per_gib_micro / 1073741824)
      + ceil(egress::numeric * held.egress_per_gib_micro / 1073741824));
  end if;
  update charges set billed_seconds = billed, cost_micro = cost, settled_at = clock_timestamp()
  where subject_id = subject and company_id = company;
  if cost <> held.held_micro then
    insert into budget_changes (company_id, month, micro) values (company, held.month, cost - held.held_micro);
  end if;
  return cost;
end $function$
;

CREATE OR REPLACE FUNCTION public.settle_ended_build()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  seconds bigint := used_seconds(new.started_at, new.terminal_at);
  cost bigint := settle_charge(new.id, new.company_id, new.state <> 'platform_failed', seconds, 0, 0);
begin
  insert into usage_changes (company_id, day, kind, subject_id, chatroom_id, department_id, principal_type,
    principal_id, seconds, ingress_bytes, egress_bytes, cost_micro)
  select new.company_id, (new.queued_at at time zone 'UTC')::date, 'build', e.id, '',
    case when e.owner_scope = 'department' then e.owner_id else '' end, '', '', coalesce(seconds, 0), 0, 0, cost
  from environment_versions v join environments e on e.id = v.environment_id where v.id = new.environment_version_id;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.settle_ended_run()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  seconds bigint := used_seconds(new.started_at, new.terminal_at);
  cost bigint := settle_charge(new.id, new.company_id, new.state <> 'platform_failed', seconds,
    new.measured_ingress_bytes, new.measured_egress_bytes);
begin
  insert into usage_changes (company_id, day, kind, subject_id, chatroom_id, principal_type, principal_id, seconds,
    ingress_bytes, egress_bytes, cost_micro)
  values (new.company_id, (new.queued_at at time zone 'UTC')::date, 'run', new.task_id, new.chatroom_id,
    new.principal_type, new.principal_id, coalesce(seconds, 0), new.measured_ingress_bytes,
    new.measured_egress_bytes, cost);
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.sum_kept_rows()
 RETURNS TABLE(company_id text, kind text, bytes bigint)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare
  counted record;
begin
  for counted in
    select tgrelid::regclass as rows, string_to_array(encode(tgargs, 'escape'), '\000') as arguments
    from pg_trigger where tgname ~ '^count_kept_.+_insert$' and tgnargs = 3
  loop
    return query execute format(
      'select %1$I, %L, sum(%s)::bigint from %s where %1$I is not null group by 1',
      counted.arguments[3], counted.arguments[1], counted.arguments[2], counted.rows);
  end loop;
  return query
    select i.company_id, part.kind, sum(part.bytes)::bigint from run_inputs i
    cross join lateral (values ('inputs', octet_length(i.content) + 3072), ('runs', -2048)) as part (kind, bytes)
    group by i.company_id, part.kind
    union all select r.company_id, 'runs', 2048 * count(*) from runs r group by r.company_id
    union all select c.company_id, part.kind, sum(part.bytes)::bigint from run_contents c
    cross join lateral run_content_bytes(c.state, c.output_bytes, c.log_bytes, c.bundle_bytes) part
    group by c.company_id, part.kind
    union all select e.company_id, 'state_events', 320 * count(*) from state_events e
    where e.entity <> 'run' and e.company_id is not null group by e.company_id;
end $function$
;

CREATE OR REPLACE FUNCTION public.take_turns(company_ids text[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare held int;
begin
  loop
    perform from queue_turns where company_id = any(company_ids) for key share;
    get diagnostics held = row_count;
    exit when held = cardinality(company_ids);
    insert into queue_turns (company_id, served_at)
    select company_id, (
      select claimed_at from runs where runs.company_id = asked.company_id and claimed_at is not null
      order by claimed_at desc limit 1)
    from unnest(company_ids) as asked (company_id) order by company_id
    on conflict do nothing;
  end loop;
end $function$
;

CREATE OR REPLACE FUNCTION public.trim_audit_entries(company text, older_than timestamp with time zone, most_kept bigint, most integer)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare
  head audit_chains;
  p audit_pending;
  cut bigint;
begin
  perform pg_advisory_xact_lock(7210, 0);
  head := audit_chain_for_update(company);
  select coalesce(min(sequence) filter (where at >= older_than), head.start_sequence + most + 1) - 1 into cut
  from audit_entries
  where company_id = company and sequence > head.start_sequence and sequence <= head.start_sequence + most;
  cut := least(greatest(cut, head.sequence - most_kept), head.start_sequence + most, head.sequence);
  if cut <= head.start_sequence then
    return 0;
  end if;
  most := cut - head.start_sequence;
  head.start_sequence := cut;
  select hash into head.start_hash from audit_entries where company_id = company and sequence <= cut
  order by sequence desc limit 1;
  head.start_hash := coalesce(head.start_hash, '');
  perform set_config('sandbox_jobs.audit_trim', 'on', true);
  delete from audit_entries where company_id = company and sequence <= cut;
  perform set_config('sandbox_jobs.audit_trim', '', true);
  p.company_id := company;
  p.at := clock_timestamp();
  p.change := 'delete';
  p.object_type := 'audit_log';
  p.object_id := cut::text;
  p.digest_after := head.start_hash;
  p.context := '{"action":"audit_retention"}';
  p.account := session_user;
  head := append_audit_entry(p, head);
  update audit_chains set start_sequence = head.start_sequence, start_hash = head.start_hash,
    sequence = head.sequence, hash = head.hash
  where company_id = company;
  return most;
end $function$
;

CREATE OR REPLACE FUNCTION public.used_seconds(started timestamp with time zone, ended timestamp with time zone)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select case when started is not null and ended is not null then greatest(0, ceil(extract(epoch from ended - started)))::bigint end
$function$
;
