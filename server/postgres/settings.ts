/**
 * Server settings passed at every start, so that the cluster's own file stays as `initdb` wrote it. Durability is
 * Postgres's default: fsync, synchronous commit and full page writes are on.
 */
const base: Record<string, string> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  password_encryption: 'scram-sha-256',
  // Keeps an idle service small; the operating system's cache does the rest.
  shared_buffers: '64MB',
  max_connections: '60',
  max_wal_size: '512MB',
  checkpoint_timeout: '15min',
  // Short transactions on small rows: compiling them costs more than it saves.
  jit: 'off',
  // A client that forgets its transaction must not hold locks and old rows forever.
  idle_in_transaction_session_timeout: '60s',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_line_prefix: '%m [%p] ',
  // Statements may contain tenants' values: they stay out of the log.
  log_min_error_statement: 'panic',
  log_parameter_max_length_on_error: '0',
}

/** `-c name=value` arguments; `extra` overrides the base. */
export function settingArguments(port: number, extra: Record<string, string>): string[] {
  const all = { ...base, ...extra, port: String(port) }
  return Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}
