-- Audited tables: the audit log records changes of rows, and changes of state of what changes often.

-- Records a change of a row. Arguments: the kind of object, the columns that name it, the columns that do not count.
create function record_row_change() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
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
end $$;

-- Has every change of a table recorded, now and in later migrations. `ignored` are columns that change without an act, such
-- as the time of the last use.
create function record_changes_of(
  changed regclass, kind text, key text default 'id', ignored text default '',
  events text default 'insert or update or delete', condition text default 'true'
) returns void language plpgsql as $$
begin
  execute format(
    'create trigger audit_changes after %s on %s for each row when (%s) execute function record_row_change(%L, %L, %L)',
    events, changed, condition, kind, key, ignored
  );
end $$;

-- The states of what changes often. The creation of a run is recorded by the statement that queues it.
create function record_state_changes() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  insert into audit_pending (company_id, change, object_type, object_id, run_id, from_state, to_state)
  select coalesce(company_id, ''), 'state', entity, entity_id, case when entity = 'run' then entity_id end,
    from_state, to_state
  from made
  where entity in ('run', 'build_attempt', 'environment_version', 'upload_session')
    and (entity <> 'run' or from_state <> '')
  order by id;
  return null;
end $$;
create trigger audit_state_changes after insert on state_events referencing new table as made
  for each statement execute function record_state_changes();

select record_changes_of('companies', 'company');
select record_changes_of('departments', 'department');
select record_changes_of('department_managers', 'department_manager', 'department_id,user_id');
select record_changes_of('chatrooms', 'chatroom');
select record_changes_of('chatroom_members', 'chatroom_member', 'chatroom_id,user_id');
select record_changes_of('users', 'user');
select record_changes_of('login_addresses', 'login_address', 'user_id', '', 'insert');
select record_changes_of('api_keys', 'api_key', 'id', 'last_used_at,pepper,key_hash');
select record_changes_of('gateway_keys', 'gateway_key', 'id', 'last_used_at,pepper,key_hash');
select record_changes_of('oauth_grants', 'oauth_grant', 'id', 'refresh_sequence,refreshed_at,expires_at');
select record_changes_of('sign_ins', 'sign_in', 'id', 'token_hash,last_used_at,expires_at,credential_generation,provider_state_hash');
select record_changes_of('social_media_clients', 'social_media_client');
select record_changes_of('company_settings', 'company_settings', 'company_id');
select record_changes_of('company_budgets', 'company_budget', 'company_id,month');
select record_changes_of('environments', 'environment', 'id', 'vulnerabilities_revision');
select record_changes_of('environment_versions', 'environment_version', 'id', '',
  'update of isolation, build_cache, security_state, blocked_reason');
select record_changes_of('upload_sessions', 'upload_session', 'id', '', 'update of received_digest');
select record_changes_of('security_exceptions', 'security_exception');
select record_changes_of('tasks', 'task');
select record_changes_of('task_versions', 'task_version');
select record_changes_of('script_uploads', 'script_upload', 'id', '', 'insert');
select record_changes_of('task_bundles', 'task_bundle', 'id', '', 'insert');
select record_changes_of('share_grants', 'share_grant');
select record_changes_of('bindings', 'binding');
select record_changes_of('secret_bindings', 'secret_binding');
select record_changes_of('secret_values', 'secret_value', 'binding_id,generation');
select record_changes_of('secret_approvals', 'secret_approval');
select record_changes_of('run_secret_pins', 'run_secret_pins', 'run_id');
select record_changes_of('run_contents', 'run_content', 'run_id', '', 'update of state');
select record_changes_of('public_links', 'public_link');
select record_changes_of('signed_links', 'signed_link', 'id', '', 'insert or update');
select record_changes_of('input_files', 'input_file', 'id', 'look_at');
select record_changes_of('room_messages', 'message', 'id', '', 'insert');
select record_changes_of('agent_proposals', 'agent_proposal', 'id', '', 'insert or update');
select record_changes_of('custom_tables', 'custom_table', 'id', 'row_count');
select record_changes_of('custom_table_rows', 'table_row');
select record_changes_of('custom_table_commands', 'table_command');
select record_changes_of('custom_table_triggers', 'table_trigger', 'id', 'last_error_code,last_refused_at');
select record_changes_of('webhooks', 'webhook', 'id', 'failing_since,dropped,is_slow');
select record_changes_of('webhook_secrets', 'webhook_secret');
select record_changes_of('webhook_deliveries', 'webhook_delivery', 'id', '', 'update of outcome',
  'old.outcome is not null and new.outcome is null');
select record_changes_of('notifications', 'notification', 'id', '', 'update of read_at');
select record_changes_of('price_lists', 'price_list');
select record_changes_of('blocked_digests', 'blocked_digest', 'digest');
select record_changes_of('build_fence', 'build_fence', 'single');
select record_changes_of('kill_switch', 'kill_switch', 'single');
select record_changes_of('runner_releases', 'runner_release', 'release');
select record_changes_of('storage_bounds', 'storage_bounds', 'only_row');
select record_changes_of('vulnerability_imports', 'vulnerability_import', 'revision', '', 'insert');
select record_changes_of('operator_acts', 'operator_act', 'sequence', '', 'insert');
select record_changes_of('sessions', 'session', 'id', 'last_used_at,expires_at,holder_run_id');
select record_changes_of('doors', 'door', 'id', 'last_used_at,pepper,key_hash');
-- A tick moves a schedule on without an act.
select record_changes_of('schedules', 'schedule', 'id', 'next_at,look_at,since',
  'insert or delete or update of name, input, timeout_seconds, cron, time_zone, missed, run_as, paused_because');
select record_changes_of('mail_preferences', 'mail_preferences', 'user_id');
