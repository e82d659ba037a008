import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { app } from "../../src/entries/api.app.ts";

/** The origin of the tests' dashboard. It is https, so that secure cookies work as in production. */
export const DASHBOARD_ORIGIN = "https://veil.test";

/** The default configuration of the dashboard in tests. */
export const DASHBOARD_ENV = {
  PUBLIC_URL: DASHBOARD_ORIGIN,
  AUTH_SECRET: "a secret of the tests that is long enough",
  SIGN_UP: "open",
  MAIL_URL: "https://mail.test/send",
  MAIL_TOKEN: "mail-token",
  MAIL_FROM: "Veil <veil@veil.test>",
};

const environments = new Map<object, object>();

/** The Worker's environment with the dashboard's variables. The same object always gives the same environment. */
function environmentOf(variables: object): object {
  const known = environments.get(variables) ?? { ...env, ...variables };
  environments.set(variables, known);
  return known;
}

interface Visit {
  readonly method?: string;
  readonly form?: Readonly<Record<string, string>> | undefined;
  readonly body?: BodyInit;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A browser without scripts. It stores cookies, sends the origin of its forms, and does not follow redirects. */
export class Browser {
  readonly cookies = new Map<string, string>();
  readonly #variables: object;

  constructor(variables: object = DASHBOARD_ENV) {
    this.#variables = variables;
  }

  /** One request in the form in which a dashboard page sends it. */
  async visit(path: string, { method, form, body, headers = {} }: Visit = {}): Promise<Response> {
    const sent = new Headers({ "CF-Connecting-IP": "203.0.113.7", Accept: "text/html" });
    if (this.cookies.size > 0) {
      sent.set("Cookie", [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; "));
    }
    const isChange = form !== undefined || body !== undefined || method === "POST";
    if (isChange) sent.set("Origin", DASHBOARD_ORIGIN);
    for (const [name, value] of Object.entries(headers)) {
      if (value === "") sent.delete(name);
      else sent.set(name, value);
    }
    const init: RequestInit = { method: method ?? (isChange ? "POST" : "GET"), headers: sent };
    const content = form === undefined ? body : new URLSearchParams(form);
    const request = new Request(new URL(path, DASHBOARD_ORIGIN), {
      ...init,
      ...(content === undefined ? {} : { body: content }),
    });
    const context = createExecutionContext();
    const response = await app.fetch(request, environmentOf(this.#variables), context);
    await waitOnExecutionContext(context);
    for (const cookie of response.headers.getSetCookie()) this.#keep(cookie);
    return response;
  }

  /** The text of a page. Fails if the answer is not a page. */
  async page(path: string): Promise<string> {
    const response = await this.visit(path);
    if (response.status !== 200)
      throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return await response.text();
  }

  /** The token that this session's forms carry. */
  async csrf(path = "/dashboard/security"): Promise<string> {
    const token = /name="csrf" value="([0-9a-f]{64})"/.exec(await this.page(path))?.[1];
    if (token === undefined) throw new Error(`There is no form on ${path}.`);
    return token;
  }

  /** Sends a form with this session's token. */
  async submit(path: string, form: Readonly<Record<string, string>> = {}): Promise<Response> {
    return await this.visit(path, { form: { ...form, csrf: await this.csrf() } });
  }

  /** A copy of the browser with its current cookies, independent of later changes. */
  copy(): Browser {
    const copy = new Browser(this.#variables);
    for (const [name, value] of this.cookies) copy.cookies.set(name, value);
    return copy;
  }

  #keep(cookie: string): void {
    const [pair = ""] = cookie.split(";");
    const at = pair.indexOf("=");
    const name = pair.slice(0, at);
    if (/max-age=0/i.test(cookie)) this.cookies.delete(name);
    else this.cookies.set(name, pair.slice(at + 1));
  }
}
