/** Whether the code of an error says that a connection could not be encrypted, or that its certificate is not trusted. */
export const isTlsFailure = (code: string): boolean =>
  /^(ERR_(TLS|SSL)|CERT|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO|EPROTO)/.test(code)
