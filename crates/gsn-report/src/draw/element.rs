//! Symbols of the elements.

const SYMBOLS: &str = "H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr \
    Rb Sr Y Zr Nb Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb Lu Hf Ta W Re \
    Os Ir Pt Au Hg Tl Pb Bi Po At Rn Fr Ra Ac Th Pa U Np Pu Am Cm Bk Cf Es Fm Md No Lr Rf Db Sg Bh Hs Mt Ds Rg Cn Nh Fl \
    Mc Lv Ts Og";

/// The symbol of an atomic number; `*` for 0, the number itself beyond the table.
pub(super) fn symbol(number: u32) -> String {
    match number.checked_sub(1) {
        None => "*".into(),
        Some(at) => SYMBOLS
            .split_ascii_whitespace()
            .nth(at as usize)
            .map_or_else(|| number.to_string(), str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::symbol;

    #[test]
    fn numbers_are_those_of_the_periodic_table() {
        let some = [0, 1, 6, 17, 26, 53, 79, 92, 118, 119].map(symbol);
        assert_eq!(some, ["*", "H", "C", "Cl", "Fe", "I", "Au", "U", "Og", "119"]);
    }
}
