import type { Page } from "playwright-core";

const PASSWORD = "correct horse battery";

/** Signs a new user up with their own team, which has their address as its name and the Free plan. */
export async function signUpNewcomer(page: Page, origin: string, email: string): Promise<void> {
  await page.goto(`${origin}/dashboard/sign-up`);
  await page.getByLabel("Name").fill("Nils Newcomer");
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign up" }).click();
  await page.getByRole("link", { name: "Open the link" }).click();
  await page.getByLabel("Team name").fill(email);
  await page.getByRole("button", { name: "Create team" }).click();
  await page.getByRole("heading", { name: "Redact the first photo" }).waitFor();
}
