# Sourced by ./demo and ./check: installs Debian packages that are missing, if it may.
#
#   need_packages PACKAGE...   installs those of the list that are not installed; returns 1 and says which
#                              are missing when it may not (--no-install, no root and no sudo, no apt)

install_allowed=yes

package_is_installed() {
    dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null | grep -qx installed
}

need_packages() {
    local missing=() package root=()
    for package in "$@"; do
        package_is_installed "$package" || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && return 0
    [ "$(id -u)" -eq 0 ] || root=(sudo -n)
    if [ "$install_allowed" = no ]; then
        echo "missing packages (not installed because of --no-install): ${missing[*]}" >&2
        return 1
    fi
    if ! command -v apt-get >/dev/null || ! "${root[@]}" true 2>/dev/null; then
        echo "missing packages, and no right to install them: ${missing[*]}" >&2
        return 1
    fi
    echo "installing ${missing[*]}" >&2
    "${root[@]}" apt-get update -qq >&2 &&
        "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
            "${missing[@]}" >/dev/null
}
