import { type Config, settings } from '../../base/config/config.ts'
import { type Finding, warning } from './finding.ts'

/** Settings without effect, and what an address means for the settings around it. */
export function unusedSettings(config: Config): Finding[] {
  const registry = config.registry === 'none' ? undefined : config.registry
  const uses: { setting: string; isSet: boolean; needs: string; isThere: boolean }[] = [
    ...[
      { setting: 'SANDBOX_REGISTRY_IS_MIRROR', isSet: config.registryIsMirror },
      { setting: 'SANDBOX_REGISTRY_CA_FILE', isSet: config.registryCaFile !== undefined },
      { setting: 'SANDBOX_REGISTRY_LOGIN_FILE', isSet: config.registryLoginFile !== undefined },
    ].map((use) => ({ ...use, needs: 'a registry in SANDBOX_REGISTRY', isThere: registry !== undefined })),
    ...[
      { setting: 'SANDBOX_MAIL_LOGIN_FILE', isSet: config.mailLoginFile !== undefined },
      { setting: 'SANDBOX_MAIL_CA_FILE', isSet: config.mailCaFile !== undefined },
      { setting: 'SANDBOX_MAIL_FROM', isSet: config.mailFrom !== undefined },
    ].map((use) => ({ ...use, needs: 'SANDBOX_MAIL_SERVER', isThere: config.mailServer !== undefined })),
    ...[
      { setting: 'SANDBOX_JWT_JWKS_URL', isSet: config.jwtJwksUrl !== undefined },
      { setting: 'SANDBOX_JWT_MCP_AUDIENCE', isSet: config.jwtMcpAudience !== undefined },
    ].map((use) => ({ ...use, needs: 'SANDBOX_JWT_ISSUER', isThere: config.jwtIssuer !== undefined })),
    ...(['oidcClientSecretFile', 'oidcName'] as const).map((name) => ({
      setting: settings[name].env,
      isSet: config[name] !== settings[name].fallback(config),
      needs: 'SANDBOX_OIDC_CLIENT_ID',
      isThere: config.oidcClientId !== undefined,
    })),
    ...(['s3Endpoint', 's3Region', 's3Prefix', 's3CredentialsFile', 's3CaFile'] as const).map((name) => ({
      setting: settings[name].env,
      isSet: config[name] !== settings[name].fallback({}),
      needs: 'SANDBOX_S3_BUCKET',
      isThere: config.s3Bucket !== undefined,
    })),
    {
      setting: 'SANDBOX_PACKAGE_HOSTS_FILE',
      isSet: config.packageHostsFile !== undefined,
      needs: 'SANDBOX_BUILD_NETWORK=packages',
      isThere: config.buildNetwork === 'packages',
    },
    {
      setting: 'SANDBOX_BACKUP_IDENTITY_FILE',
      isSet: config.backupIdentityFile !== undefined,
      needs: 'SANDBOX_BACKUP_RECIPIENTS',
      isThere: config.backupRecipients.length > 0,
    },
    ...(
      ['backupTimes', 'backupKeepDaily', 'backupKeepWeekly', 'backupKeepMonthly', 'backupTrialDays'] as const
    ).map((name) => ({
      setting: settings[name].env,
      isSet: String(config[name]) !== String(settings[name].fallback({})),
      needs: 'SANDBOX_BACKUP_FOLDER',
      isThere: config.backupFolder !== undefined,
    })),
  ]
  return [
    ...uses
      .filter(({ isSet, isThere }) => isSet && !isThere)
      .map(({ setting, needs }) => warning(`${setting} has no effect without ${needs}`)),
    ...proxyFindings(config),
  ]
}

const isLoopback = (host: string) => /^(localhost|127[.].+|\[?::1\]?)$/.test(host)

function proxyFindings({ baseUrl, host, trustedProxies }: Config): Finding[] {
  const { protocol, hostname } = new URL(baseUrl)
  if (protocol === 'https:' && trustedProxies.length === 0) {
    return [
      warning(
        'SANDBOX_BASE_URL is https, so a proxy stands in front; without SANDBOX_TRUSTED_PROXIES all clients have its address, and failed logins of one person count against everybody',
      ),
    ]
  }
  if (protocol === 'http:' && !(isLoopback(hostname) && isLoopback(host))) {
    return [
      warning(
        'SANDBOX_BASE_URL is not https: passwords and tokens of other machines cross the network in clear text',
      ),
    ]
  }
  return []
}
