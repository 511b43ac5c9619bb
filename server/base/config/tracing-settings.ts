import { absolutePath, type Settings, text } from './setting.ts'

/** Where traces are sent. The variables are those of the OpenTelemetry specification. */
export interface TracingConfig {
  /** Base address of the collector. Undefined: nothing is traced. */
  otlpEndpoint: string | undefined
  /** `NAME=VALUE`, separated by commas; values are percent-encoded. */
  otlpHeaders: string | undefined
  otlpCertificateFile: string | undefined
  otlpServiceName: string
}

const headerPattern = /^[\w!#$%&'*+.^`|~-]+=[\x21-\x2b\x2d-\x7e]*$/

export const tracingSettings: Settings<TracingConfig> = {
  otlpEndpoint: {
    env: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    description:
      'base address of an OpenTelemetry collector that gets traces, as OTLP over HTTP; default: none',
    fallback: () => undefined,
    expected: 'an http(s) address without user and query',
    parse: (raw) =>
      typeof raw === 'string' && /^https?:\/\/[^\s?#@]+$/.test(raw) && URL.canParse(raw) ? raw : undefined,
  },
  otlpHeaders: {
    env: 'OTEL_EXPORTER_OTLP_HEADERS',
    description: 'headers of requests to the collector: NAME=VALUE,NAME=VALUE',
    fallback: () => undefined,
    expected: 'NAME=VALUE,NAME=VALUE with percent-encoded values',
    parse: (raw) => (typeof raw === 'string' && headersIn(raw) ? raw : undefined),
  },
  otlpCertificateFile: {
    env: 'OTEL_EXPORTER_OTLP_CERTIFICATE',
    description: 'PEM file of the certificate authority of the collector, readable by API and worker',
    fallback: () => undefined,
    ...absolutePath,
  },
  otlpServiceName: {
    env: 'OTEL_SERVICE_NAME',
    description: 'service.name in traces',
    fallback: () => 'sandbox-jobs',
    ...text(/^[\x20-\x7e]{1,100}$/, 'a name of at most 100 characters'),
  },
}

/** The headers in the text of `otlpHeaders`; undefined if it has another form. */
export function headersIn(value: string): Record<string, string> | undefined {
  const pairs = value.split(',').map((pair) => pair.trim())
  if (!pairs.every((pair) => headerPattern.test(pair))) return undefined
  try {
    const decoded = pairs.map((pair) => {
      const at = pair.indexOf('=')
      return [pair.slice(0, at), decodeURIComponent(pair.slice(at + 1))]
    })
    return decoded.some(([, text = '']) => /[^\x20-\x7e]/.test(text))
      ? undefined
      : Object.fromEntries(decoded)
  } catch {
    return undefined
  }
}
